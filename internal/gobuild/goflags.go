package gobuild

import (
	"os"
	"path/filepath"
	"strings"
)

// flagSince are the flags of the go command's build that came after the oldest toolchain that misstep can use, with the
// minor version of Go that brought each.
var flagSince = map[string]int{"buildvcs": 18, "C": 20, "cover": 20, "covermode": 20, "coverpkg": 20, "pgo": 20, "json": 24}

// knows reports whether a toolchain knows a flag; one of which the version is not known, or that is not named, is the
// local one, which knows all.
func knows(toolchain, flag string) bool {
	name, _, _ := strings.Cut(strings.TrimLeft(flag, "-"), "=")
	n := Minor(toolchain)
	return n < 0 || n >= flagSince[name]
}

// olderFlags is GOFLAGS without what a toolchain does not know, which would refuse to do anything with that; ok is false if
// it knows all of it, so that nothing has to be changed.
func olderFlags(toolchain string) (flags string, ok bool) {
	var kept []string
	all := strings.Fields(userFlags())
	for _, f := range all {
		if knows(toolchain, f) {
			kept = append(kept, f)
		}
	}
	switch {
	case len(kept) == len(all):
		return "", false
	case len(kept) == 0:
		return noFlag, true
	}
	return strings.Join(kept, " "), true
}

// noFlag stands for no flag at all, as an empty GOFLAGS is none, and what go env -w has set is in force.
const noFlag = "-a=false"

// userFlags is GOFLAGS as the user has set it, in the environment or by go env -w. (go help environment.)
func userFlags() string {
	if flags, ok := os.LookupEnv("GOFLAGS"); ok {
		return flags
	}
	file := os.Getenv("GOENV")
	if file == "" {
		dir, err := os.UserConfigDir()
		if err != nil {
			return ""
		}
		file = filepath.Join(dir, "go", "env")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "" // there is none, or it is switched off
	}
	for line := range strings.Lines(string(text)) {
		if flags, ok := strings.CutPrefix(strings.TrimSpace(line), "GOFLAGS="); ok {
			return flags
		}
	}
	return ""
}
