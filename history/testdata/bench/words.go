package main

import (
	"fmt"
	"sort"
)

func main() {
	state := uint32(7)
	counts := map[string]int{}
	word := make([]byte, 0, 8)
	for range 6_000_000 {
		state = state*1664525 + 1013904223
		if c := byte('a' + state>>28%6); state>>20%5 == 0 && len(word) > 0 {
			counts[string(word)]++
			word = word[:0]
		} else if len(word) < 5 {
			word = append(word, c)
		}
	}
	keys := make([]string, 0, len(counts))
	for k := range counts {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		if counts[keys[i]] != counts[keys[j]] {
			return counts[keys[i]] > counts[keys[j]]
		}
		return keys[i] < keys[j]
	})
	fmt.Println(len(keys), keys[0], counts[keys[0]])
}
