package rt

// misstepEach is what the countdown is where each evaluation is meant.
const misstepEach = 1 << 31

// misstepTurned reports whether an evaluation of an expression is one that the recorder has chosen.
func misstepTurned(number uint32) bool {
	if misstepChosen != number+1 {
		return false
	}
	if misstepCountdown == misstepEach {
		return true
	}
	misstepCountdown--
	return misstepCountdown == 0
}

// MisstepTurn passes a condition on, and inverts it at the evaluation that the recorder
// has chosen.
func MisstepTurn(number uint32, v bool) bool { return v != misstepTurned(number) }

// MisstepPick passes the tag of a switch on, and another value at the evaluation that the
// recorder has chosen.
func MisstepPick[T any](number uint32, v, other T) T {
	if misstepTurned(number) {
		return other
	}
	return v
}

// MisstepType passes the operand of a type switch on, and a value of another type at the
// evaluation that the recorder has chosen; nil is that of an interface.
func MisstepType[T any](number uint32, v T, other any) T {
	if misstepTurned(number) {
		v, _ = other.(T)
	}
	return v
}

// MisstepRangeSlice passes what is ranged over on. At the evaluation that the recorder has chosen it has no elements if it had some, else a zero
// one; so it is with MisstepRangeMap, MisstepRangeInt and MisstepRangeText.
func MisstepRangeSlice[S ~[]E, E any](number uint32, s S) S {
	switch {
	case !misstepTurned(number):
		return s
	case len(s) == 0:
		return make(S, 1)
	}
	return nil
}

func MisstepRangeMap[M ~map[K]V, K comparable, V any](number uint32, m M) M {
	switch {
	case !misstepTurned(number):
		return m
	case len(m) == 0:
		var key K
		var value V
		return M{key: value}
	}
	return nil
}

func MisstepRangeInt[N ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr](number uint32, n N) N {
	switch {
	case !misstepTurned(number):
		return n
	case n <= 0:
		return 1
	}
	return 0
}

func MisstepRangeText[S ~string](number uint32, s S) S {
	switch {
	case !misstepTurned(number):
		return s
	case s == "":
		return "x"
	}
	return ""
}
