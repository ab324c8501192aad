package dap

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/google/go-dap"
)

// noGoroutines is what Delve says of a paused program in the place of its standard error, where others refuse: without debug information it can
// list no goroutines.
const noGoroutines = "Unable to retrieve goroutines: "

// takeOutput takes in what the program prints, as far as the adapter passes that on, and what log points do.
func (s *Session) takeOutput(b dap.OutputEventBody) {
	into := &s.stdout
	switch b.Category {
	case "stderr":
		if s.adapter.Name == "dlv" && s.state == PausedState && strings.HasPrefix(b.Output, noGoroutines) {
			return // tolerance own-words
		}
		into = &s.errout
	case "stdout":
	default:
		return
	}
	if b.Source != nil && s.adapter.logPoint != nil {
		if m := s.adapter.logPoint.FindStringSubmatch(b.Output); m != nil {
			s.logs = append(s.logs, fmt.Sprintf("%s:%d: %s", s.rel(b.Source.Path), b.Line, normalText(m[2])))
			s.speakers = append(s.speakers, m[1])
			return
		}
	}
	text := b.Output
	if s.adapter.Terminal {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	if into.Len()+len(text) > s.opts.Output {
		s.flooded = true
		return
	}
	into.WriteString(text)
}

// exit is how the program ended, with what it printed.
func (s *Session) exit() *Exit {
	e := &Exit{Earlier: s.earlier, Code: s.exitCode, Stdout: s.stdout.String(), Stderr: s.errout.String()}
	switch {
	case s.running != nil:
		e.Stdout, e.Stderr = s.read(s.running.stdout), s.read(s.running.stderr)
	case s.leavesOutput():
		e.Stdout, e.Stderr, e.Beside = s.besides(), s.stderr.String(), true
		if s.target.Settings[StdoutTo] != nil {
			e.Stdout = s.read(s.target.stdout)
		}
		if s.target.Settings[StderrTo] != nil {
			e.Stderr, e.Beside = s.read(s.target.stderr), false
		}
	}
	if s.flooded {
		e.Stdout += "\n(more was printed than is kept)\n"
	}
	return e
}

// leavesOutput reports whether the adapter lets the program print where it prints itself: as it is asked to, or
// because it knows no other way, as Delve before v1.21.1.
func (s *Session) leavesOutput() bool {
	switch {
	case s.console == "" || s.adapter.Name != "dlv":
		return false // others may print something of their own there
	case s.target.Settings[outputMode] == "local":
		return true
	case s.stdout.Len()+s.errout.Len() > 0 || s.besides() == "" && !failures.MatchString(s.stderr.String()):
		return false
	}
	// What is lost by one that could pass it on is a finding.
	return s.adapter.times(outputMode) == 0
}

// outputMode is the argument of Delve's by which it passes on what the program prints.
const outputMode = "outputMode"

// StdoutTo and StderrTo are the arguments of Delve's launch request that name files for what the program prints.
const (
	StdoutTo = "stdoutTo"
	StderrTo = "stderrTo"
)

// besides is what was printed where the adapter prints, of this run.
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

// endConsole removes what belongs to the adapter's process.
func (s *Session) endConsole() {
	for _, dir := range []string{s.built, s.copied, s.printed} {
		if dir != "" {
			os.RemoveAll(dir)
		}
	}
	if s.console != "" {
		os.Remove(s.console)
	}
	s.stderr.remove()
}
