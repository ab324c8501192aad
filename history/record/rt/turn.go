package rt

// misstepEach is what the countdown is where each evaluation is meant.
const misstepEach = 1 << 31

// MisstepTurn passes a condition on, and inverts it at the evaluation that the recorder
// has chosen.
func MisstepTurn(number uint32, v bool) bool {
	if misstepChosen != number+1 {
		return v
	}
	if misstepCountdown == misstepEach {
		return !v
	}
	misstepCountdown--
	return v != (misstepCountdown == 0)
}

// MisstepPick passes the tag of a switch on, and another value at the evaluation that the
// recorder has chosen.
func MisstepPick[T any](number uint32, v, other T) T {
	if misstepChosen != number+1 {
		return v
	}
	if misstepCountdown != misstepEach {
		misstepCountdown--
	}
	if misstepCountdown == 0 || misstepCountdown == misstepEach {
		return other
	}
	return v
}

// MisstepType passes the operand of a type switch on, and a value of another type at the
// evaluation that the recorder has chosen; nil is that of an interface.
func MisstepType[T any](number uint32, v T, other any) T {
	if misstepChosen != number+1 {
		return v
	}
	if misstepCountdown != misstepEach {
		misstepCountdown--
	}
	if misstepCountdown == 0 || misstepCountdown == misstepEach {
		v, _ = other.(T)
	}
	return v
}
