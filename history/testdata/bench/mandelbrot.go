package main

func inside(cr, ci float64) int {
	zr, zi := 0.0, 0.0
	for n := range 60 {
		zr, zi = zr*zr-zi*zi+cr, 2*zr*zi+ci
		if zr*zr+zi*zi > 4 {
			return n
		}
	}
	return 60
}

func main() {
	const size = 2400
	sum := 0
	for y := range size {
		for x := range size {
			sum += inside(2*float64(x)/size-1.5, 2*float64(y)/size-1)
		}
	}
	println(sum)
}
