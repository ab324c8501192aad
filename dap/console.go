package dap

import (
	"io"
	"os"
)

// leavesOutput reports whether the adapter lets the program print where it prints itself, as it is asked to, or as Delve
// did before it had outputMode. Of one that does not know better that is seen of its first run: nothing was told of what
// the program printed, and something was printed. One that tells at first and then no more, after a restart, loses it.
func (s *Session) leavesOutput() bool {
	switch {
	case s.console == "" || s.adapter.Name != "dlv":
		return false // others may print something of their own there
	case s.target.Settings["outputMode"] == "local":
		return true
	case s.restarted:
		return s.leaves
	}
	return s.stdout.Len() == 0 && s.errout.Len() == 0 && (s.besides() != "" || failures.MatchString(s.stderr.String()))
}

// besides is what was printed where the adapter prints, since the last restart.
func (s *Session) besides() string {
	text := s.read(s.console)
	return text[min(s.beside, len(text)):]
}

// read is what was printed into a file, as far as that is kept.
func (s *Session) read(name string) string {
	f, err := os.Open(name)
	if err != nil {
		return "" // a server that failed has made none
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, int64(s.opts.Output)+1))
	if len(text) > s.opts.Output {
		s.flooded = true
		text = text[:s.opts.Output]
	}
	return string(text)
}
