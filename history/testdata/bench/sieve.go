package main

func sieve(n int) int {
	composite := make([]bool, n+1)
	count := 0
	for i := 2; i <= n; i++ {
		if composite[i] {
			continue
		}
		count++
		for j := i * i; j <= n; j += i {
			composite[j] = true
		}
	}
	return count
}

func main() {
	sum := 0
	for range 12 {
		sum += sieve(2_000_000)
	}
	println(sum)
}
