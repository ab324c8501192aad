package reduce

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"

	"misstep/internal/srcedit"
	"misstep/triage"
)

// A script is a testscript in parts.
type script struct {
	head  []string // the comments before the first command
	lines []string // the commands
	// paused are the places at which commands left the program paused, with the function
	// and the reason, as the comments behind them say and edits have moved them since.
	paused []string
	files  map[string][]byte
	order  []string // of the files
}

// parse reads a testscript. Comments between commands are what the debugger once
// answered; they go.
func parse(text []byte) (*script, error) {
	ar := txtar.Parse(text)
	s := &script{files: map[string][]byte{}}
	for line := range strings.Lines(string(ar.Comment)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case !strings.HasPrefix(line, "#"):
			s.lines = append(s.lines, line)
			s.paused = append(s.paused, "")
		case pausePattern.MatchString(line) && len(s.lines) > 0:
			s.paused[len(s.paused)-1] = pausePattern.FindStringSubmatch(line)[1]
		case len(s.lines) == 0:
			s.head = append(s.head, line)
		}
	}
	for _, f := range ar.Files {
		s.files[f.Name] = f.Data
		s.order = append(s.order, f.Name)
	}
	if len(s.lines) == 0 || !strings.HasPrefix(s.lines[0], "debug ") {
		return nil, fmt.Errorf("it has no debug command; expected a testscript, such as a hunt's finding")
	}
	if len(s.goFiles()) == 0 {
		return nil, fmt.Errorf("it holds no Go files; expected a testscript with the program in it")
	}
	return s, nil
}

// Engine is the engine that a testscript names.
func Engine(text []byte) string {
	s, err := parse(text)
	if err == nil {
		words := strings.Fields(s.lines[0])
		for i, w := range words {
			if w == "-engine" && i+1 < len(words) {
				return strings.Trim(words[i+1], "'")
			}
		}
	}
	return "dlv"
}

// Judge is the last command of a testscript, which judges.
func Judge(text []byte) string {
	s, err := parse(text)
	if err != nil {
		return ""
	}
	return s.lines[len(s.lines)-1]
}

// class is what the head says that the finding's is.
func (s *script) class() string {
	for _, line := range s.head {
		if class, ok := strings.CutPrefix(line, "# class: "); ok {
			return strings.TrimSpace(class)
		}
	}
	return ""
}

// explain puts another reason into the head of a script that was written by misstep.
func (s *script) explain(reason string) {
	var head []string
	for _, line := range s.head {
		for _, kept := range []string{"# class: ", "# engine: ", "# program: "} {
			if strings.HasPrefix(line, kept) {
				head = append(head, line)
			}
		}
	}
	s.head = append(head, triage.Comment(reason)...)
}

func (s *script) goFiles() []string {
	var names []string
	for _, name := range s.order {
		if strings.HasSuffix(name, ".go") {
			names = append(names, name)
		}
	}
	return names
}

// text is the script as a file.
func (s *script) text() []byte {
	var b bytes.Buffer
	for _, line := range append(s.head[:len(s.head):len(s.head)], s.lines...) {
		b.WriteString(line + "\n")
	}
	ar := &txtar.Archive{Comment: b.Bytes()}
	for _, name := range s.order {
		ar.Files = append(ar.Files, txtar.File{Name: name, Data: s.files[name]})
	}
	return txtar.Format(ar)
}

// actions are the indexes of the lines that may go: all but debug, and but the last,
// which judges.
func (s *script) actions() []int {
	var at []int
	for i := 1; i < len(s.lines)-1; i++ {
		at = append(at, i)
	}
	return at
}

// without is the script without some of its lines.
func (s *script) without(drop map[int]bool) *script {
	t := *s
	t.lines, t.paused = nil, nil
	for i, line := range s.lines {
		if !drop[i] {
			t.lines = append(t.lines, line)
			t.paused = append(t.paused, s.paused[i])
		}
	}
	// A transformation counts the actions.
	t.count(func(n int) int {
		left := n
		for i := range drop {
			if i <= n { // action n is on line n+1, behind debug
				left--
			}
		}
		return left
	})
	return &t
}

// count gives the actions that the judging command names by number other numbers.
func (s *script) count(number func(n int) int) {
	last := len(s.lines) - 1
	s.lines[last] = countPattern.ReplaceAllStringFunc(s.lines[last], func(param string) string {
		key, text, _ := strings.Cut(param, "=")
		n, _ := strconv.Atoi(text)
		return fmt.Sprintf("%s=%d", key, number(n))
	})
}

// straight is the script with a breakpoint and a continue in the place of all that led
// to the pause behind a command, but for some of its lines.
func (s *script) straight(at int, kept []int) *script {
	drop := map[int]bool{}
	for i := 1; i <= at; i++ {
		drop[i] = !slices.Contains(kept, i)
	}
	maps.DeleteFunc(drop, func(_ int, gone bool) bool { return !gone })
	t := s.without(drop)
	end := 1 + len(kept)
	place, _, _ := strings.Cut(s.paused[at], " ")
	t.lines = slices.Insert(t.lines, end, "break "+place, "continue")
	t.paused = slices.Insert(t.paused, end, "", s.paused[at])
	t.count(func(n int) int { return n + 2 })
	return t
}

var pausePattern = regexp.MustCompile(`^# paused at ([\w./-]+\.go:\d+ .*)`)

var countPattern = regexp.MustCompile(`\b(at|set)=\d+\b`)

var placePattern = regexp.MustCompile(`[\w./-]+\.go:\d+`)

// edit applies edits to the program and moves the places in the commands along. It
// fails if a command names a line that is gone.
func (s *script) edit(e *srcedit.Edits, drop ...string) (*script, error) {
	changed, lines, err := e.Apply()
	if err != nil {
		return nil, err
	}
	t := *s
	t.files = map[string][]byte{}
	t.order = nil
	for _, name := range s.order {
		if slices.Contains(drop, name) {
			continue
		}
		t.order = append(t.order, name)
		t.files[name] = s.files[name]
		if text, ok := changed[name]; ok {
			t.files[name] = text
		}
	}
	move := func(line string) (moved string, lost error) {
		moved = placePattern.ReplaceAllStringFunc(line, func(place string) string {
			file, number, _ := strings.Cut(place, ":")
			n, _ := strconv.Atoi(number)
			file = path.Clean(file)
			if _, ours := s.files[file]; !ours {
				return place
			}
			to, ok := lines.Forward(srcedit.Line{File: file, Line: n})
			if !ok || slices.Contains(drop, file) {
				lost = fmt.Errorf("%s is gone", place)
				return place
			}
			return fmt.Sprintf("%s:%d", to.File, to.Line)
		})
		return moved, lost
	}
	t.lines = make([]string, len(s.lines))
	t.paused = make([]string, len(s.lines))
	for i, line := range s.lines {
		if t.lines[i], err = move(line); err != nil {
			return nil, err
		}
		// Where it paused may be gone.
		if place, err := move(s.paused[i]); err == nil {
			t.paused[i] = place
		}
	}
	return &t, nil
}
