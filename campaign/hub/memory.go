package hub

import (
	"bufio"
	"os"
	"strconv"
	"strings"
)

// oneJob is about how much memory a job needs: a build, a program, its debugger and the recorded run.
const oneJob = 1 << 30

// Room reports whether this machine has memory for one more job. Where that cannot be known it has.
func Room() bool {
	left := available()
	return left == 0 || left >= oneJob
}

// available is the memory that is left, in bytes; 0 where Linux does not tell.
func available() uint64 {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if rest, ok := strings.CutPrefix(s.Text(), "MemAvailable:"); ok {
			kb, err := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			if err != nil {
				return 0
			}
			return kb << 10
		}
	}
	return 0
}
