package main

import (
	"fmt"
	"math"
)

type body struct{ x, y, z, vx, vy, vz, m float64 }

func advance(bs []body, dt float64) {
	for i := range bs {
		a := &bs[i]
		for j := i + 1; j < len(bs); j++ {
			b := &bs[j]
			dx, dy, dz := a.x-b.x, a.y-b.y, a.z-b.z
			d := dx*dx + dy*dy + dz*dz
			f := dt / (d * math.Sqrt(d))
			a.vx -= dx * b.m * f
			a.vy -= dy * b.m * f
			a.vz -= dz * b.m * f
			b.vx += dx * a.m * f
			b.vy += dy * a.m * f
			b.vz += dz * a.m * f
		}
	}
	for i := range bs {
		b := &bs[i]
		b.x += dt * b.vx
		b.y += dt * b.vy
		b.z += dt * b.vz
	}
}

func main() {
	bs := []body{
		{m: 39}, {x: 4.8, y: -1.1, z: -0.1, vx: 0.6, vy: 2.8, m: 0.03}, {x: 8.3, y: 4.1, vx: -1, vy: 1.8, m: 0.01},
		{x: 12.8, y: -15, vx: 1, vy: 0.8, m: 0.002}, {x: 15, y: -25, vx: 0.9, vy: 0.6, m: 0.002},
	}
	for range 1_500_000 {
		advance(bs, 0.001)
	}
	fmt.Printf("%.6f\n", bs[0].x)
}
