package mutation

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// A Mutant is one small change of a package.
type Mutant struct {
	ID       int    `json:"id"`      // from 1 on
	Package  string `json:"package"` // its path within the module
	File     string `json:"file"`    // its path within the module
	Func     string `json:"func"`
	Line     int    `json:"line"` // of the file as it was
	Operator string `json:"operator"`
	Code     string `json:"code"` // what is changed, on one line
}

// Key names a mutant in a list that outlives changes of lines.
func (m *Mutant) Key() string {
	return fmt.Sprintf("%s %s | %s | %s", m.File, m.Func, m.Operator, m.Code)
}

// String is the place and the change, on one line.
func (m *Mutant) String() string {
	return fmt.Sprintf("%s:%d %s: %s: %s", m.File, m.Line, m.Func, m.Operator, m.Code)
}

// The variables of the environment of a program with mutants: the number of the one that is
// on, and a file that the numbers are added to which the program comes by, one a line.
const (
	On   = "MUTANT"
	Seen = "MUTANTS_SEEN"
)

// Equivalents reads a list of mutants that change nothing: what [Mutant.Key] gives and a
// reason, after another bar. Lines that begin with # are comments. A file that is not there is
// an empty list.
func Equivalents(file string) (map[string]bool, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the list of equivalent mutants: %w", err)
	}
	res := map[string]bool{}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		i := strings.LastIndex(line, " | ")
		if i < 0 || strings.Count(line[:i], " | ") < 2 || strings.TrimSpace(line[i+3:]) == "" {
			return nil, fmt.Errorf("%s:%d: want file function | operator | code | reason", file, n)
		}
		res[line[:i]] = true
	}
	return res, nil
}
