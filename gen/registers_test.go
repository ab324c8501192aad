package gen

import (
	"go/types"
	"math/rand/v2"
	"regexp"
	"runtime"
	"strconv"
	"testing"

	"misstep/internal/source"
)

// TestRegisters: the two ways to write a part of a register mean the same bits of it.
func TestRegisters(t *testing.T) {
	if len(wide[runtime.GOARCH]) == 0 {
		t.Skip("no registers are known of " + runtime.GOARCH)
	}
	part := regexp.MustCompile(`^(\w+)\.(u?int)(\d+)\[(\d+)\]$`)
	slice := regexp.MustCompile(`^(\w+)\.(u?int)(\d+)\[(\d+):(\d+)\]\[0\]$`)
	shift := regexp.MustCompile(`^(u?int)(\d+)\((\w+)(?:\.uint64\[(\d)\])? >> (\d+)\)$`)
	num := func(s string) int {
		n, _ := strconv.Atoi(s)
		return n
	}
	shifts, slices := 0, 0
	for seed := range uint64(500) {
		one, other := registers(rand.New(rand.NewPCG(seed, 1)), &source.Source{Info: &types.Info{}})
		if !Register(one) || !Register(other) {
			t.Errorf("%s, %s: one is of no register", one, other)
		}
		p := part.FindStringSubmatch(one)
		if p == nil {
			continue // a whole register
		}
		if s := slice.FindStringSubmatch(other); s != nil {
			slices++
			if s[1] != p[1] || s[2] != p[2] || s[3] != p[3] || s[4] != p[4] || num(s[5]) != num(s[4])+1 {
				t.Errorf("%s, %s", one, other)
			}
			continue
		}
		s := shift.FindStringSubmatch(other)
		if s == nil || s[3] != p[1] || s[1] != p[2] || s[2] != p[3] || num(s[4])*64+num(s[5]) != num(p[3])*num(p[4]) {
			t.Errorf("%s, %s", one, other)
		}
		shifts++
	}
	if shifts == 0 || slices == 0 {
		t.Errorf("%d shifts, %d slices", shifts, slices)
	}
}
