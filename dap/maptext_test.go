package dap

import (
	"strings"
	"testing"
)

// TestEntriesOfMap: the entries of a map are told from brackets in its type.
func TestEntriesOfMap(t *testing.T) {
	for value, want := range map[string]string{
		`map[string]int ["a": 1, "b": 2, ]`:                            "map…",
		`map[string]int []`:                                            "map…",
		`map[string]int nil`:                                           `map[string]int nil`,
		`main.T {m: map[string]int ["a": 1, ], n: 2}`:                  "main.T {m: map…",
		`main.T {m: map[string]int nil, n: []int [1,2]}`:               `main.T {m: map[string]int nil, n: []int [1,2]}`,
		`map[[2]main.T]chan []*geo.Point nil`:                          `map[[2]main.T]chan []*geo.Point nil`,
		`map[[2]main.T]chan []*geo.Point [[1,2]: chan 0/0, ]`:          "map…",
		`map[string]func() []int nil`:                                  `map[string]func() []int nil`,
		`map[string]func() []int ["a": main.f, ]`:                      "map…",
		`map[string]func() ["a": main.f, ]`:                            "map…",
		`map[string]func(int) (int, error) ["a": main.f, ]`:            "map…",
		`map[string]func(int) (int, error) nil`:                        `map[string]func(int) (int, error) nil`,
		`map[string]func() nil`:                                        `map[string]func() nil`,
		`map[string]<-chan []int nil`:                                  `map[string]<-chan []int nil`,
		`map[string]interface { X() []int } nil`:                       `map[string]interface { X() []int } nil`,
		`map[struct { a [2]int }][]int nil`:                            `map[struct { a [2]int }][]int nil`,
		`map[string]struct { a []int } ["k": {a: []int []}]`:           "map…",
		`main.G[map[string]chan []int] {x: map[string]chan []int nil}`: `main.G[map[string]chan []int] {x: map[string]chan []int nil}`,
		`[]map[string]chan []int len: 1, cap: 1, [nil]`:                "[]map…",
		`[]map[string]int len: 1, cap: 1, [["a": 1, ]]`:                "[]map…",
		`[]map[string]int len: 0, cap: 0, nil`:                         `[]map[string]int len: 0, cap: 0, nil`,
		`[2]map[string]int [["a": 1, ],nil]`:                           "[2]map…",
		`map[`:                                                         `map[`, `map[string`: `map[string`, ``: ``, `map[]`: `map[]`,
	} {
		got := value
		if at := entriesOfMap(value); at >= 0 {
			got = value[:at] + "map…"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", value, got, want)
		}
	}
}

func FuzzEntriesOfMap(f *testing.F) {
	f.Add("map[string]func() []int [1: 2]")
	f.Fuzz(func(t *testing.T, value string) {
		if at := entriesOfMap(value); at >= 0 && !strings.HasPrefix(value[at:], "map[") {
			t.Errorf("%q: %d", value, at)
		}
	})
}
