package main

func flips(p []int) int {
	q := append([]int(nil), p...)
	n := 0
	for q[0] != 0 {
		for i, j := 0, q[0]; i < j; i, j = i+1, j-1 {
			q[i], q[j] = q[j], q[i]
		}
		n++
	}
	return n
}

func main() {
	const n = 10
	p := make([]int, n)
	c := make([]int, n)
	for i := range p {
		p[i] = i
	}
	best := 0
	for i := 0; i < n; {
		if c[i] < i {
			if i%2 == 0 {
				p[0], p[i] = p[i], p[0]
			} else {
				p[c[i]], p[i] = p[i], p[c[i]]
			}
			best = max(best, flips(p))
			c[i]++
			i = 0
		} else {
			c[i] = 0
			i++
		}
	}
	println(best)
}
