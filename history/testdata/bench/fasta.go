package main

import (
	"bufio"
	"io"
)

var last uint32 = 42

func random() float64 {
	last = (last*3877 + 29573) % 139968
	return float64(last) / 139968
}

type symbol struct {
	p float64
	c byte
}

func choose(list []symbol) byte {
	r := random()
	for _, s := range list {
		if r < s.p {
			return s.c
		}
	}
	return list[len(list)-1].c
}

func main() {
	list := []symbol{{0.3, 'a'}, {0.5, 'c'}, {0.7, 'g'}, {0.95, 't'}, {0.97, 'B'}, {0.99, 'D'}, {1, 'H'}}
	w := bufio.NewWriter(io.Discard)
	counts := map[byte]int{}
	for i := range 12_000_000 {
		c := choose(list)
		if i%100 == 0 {
			counts[c]++
		}
		w.WriteByte(c)
	}
	println(counts['a'], counts['t'])
}
