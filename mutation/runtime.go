package mutation

// runtime is put into each package that is changed: mutant reports whether the change of
// a number is the one that is on, and writes down which numbers were asked for.
const runtime = `package %s

import (
	mutantCmp "cmp"
	mutantOS "os"
	mutantConv "strconv"
	mutantSync "sync"
)

var (
	mutantOn, _ = mutantConv.Atoi(mutantOS.Getenv("` + On + `"))
	mutantSeen  = mutantOS.Getenv("` + Seen + `")
	mutantOnce  mutantSync.Map
)

func mutant(n int) bool {
	if mutantSeen != "" {
		if _, old := mutantOnce.LoadOrStore(n, true); !old {
			if f, err := mutantOS.OpenFile(mutantSeen, mutantOS.O_APPEND|mutantOS.O_WRONLY|mutantOS.O_CREATE, 0o666); err == nil {
				f.WriteString(mutantConv.Itoa(n) + "\n")
				f.Close()
			}
		}
	}
	return n == mutantOn
}

func mutantLess[T mutantCmp.Ordered](n int, a, b T) bool {
	if mutant(n) {
		return a <= b
	}
	return a < b
}

func mutantMost[T mutantCmp.Ordered](n int, a, b T) bool {
	if mutant(n) {
		return a < b
	}
	return a <= b
}

func mutantMore[T mutantCmp.Ordered](n int, a, b T) bool {
	if mutant(n) {
		return a >= b
	}
	return a > b
}

func mutantLeast[T mutantCmp.Ordered](n int, a, b T) bool {
	if mutant(n) {
		return a > b
	}
	return a >= b
}

type mutantWhole interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

type mutantNumber interface {
	mutantWhole | ~float32 | ~float64
}

func mutantAdd[T mutantNumber](n int, a, b T) T {
	if mutant(n) {
		return a - b
	}
	return a + b
}

func mutantSub[T mutantNumber](n int, a, b T) T {
	if mutant(n) {
		return a + b
	}
	return a - b
}

func mutantConst[T mutantWhole](n int, a T) T {
	if mutant(n) {
		return a + 1
	}
	return a
}

func mutantPair[T any](n int, a, b T) (T, T) {
	if mutant(n) {
		return b, a
	}
	return a, b
}

var (
	_ = mutantLess[int]
	_ = mutantMost[int]
	_ = mutantMore[int]
	_ = mutantLeast[int]
	_ = mutantAdd[int]
	_ = mutantSub[int]
	_ = mutantConst[int]
	_ = mutantPair[int]
)
`
