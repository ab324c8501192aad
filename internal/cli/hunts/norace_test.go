//go:build !race

package hunts

// raceDetector reports whether the tests were built with it; the command is, then, too.
const raceDetector = false
