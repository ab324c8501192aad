//go:build !race

package cli

// raceDetector reports whether the tests were built with it; the command is, then, too.
const raceDetector = false
