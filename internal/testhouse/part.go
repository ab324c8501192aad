package testhouse

import "os"

// All reports whether tests that try a family are to try the whole of it: where MISSTEP_ALL is set. Else they take a
// part, the same each time, so that all tests together take minutes.
func All() bool { return os.Getenv("MISSTEP_ALL") != "" }

// Part is each nth of a family, from the first on, or the whole of it if [All].
func Part[T any](family []T, n int) []T {
	if All() {
		return family
	}
	var part []T
	for i := 0; i < len(family); i += n {
		part = append(part, family[i])
	}
	return part
}
