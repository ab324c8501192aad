package rt

// MisstepTurn passes a condition on, and inverts it at the evaluation that the recorder
// has chosen.
func MisstepTurn(number uint32, v bool) bool {
	if misstepChosen != number+1 {
		return v
	}
	misstepCountdown--
	return v != (misstepCountdown == 0)
}
