package coverage

import (
	"path"
	"regexp"
	"strings"

	"misstep/profiler"
)

// reported is a message about a place of the program, as the compiler prints it: a file, a line, and a column if it tells one.
var reported = regexp.MustCompile(`(?m)^([^\s:]+\.go):(\d+)(?::(\d+))?: (.+)$`)

// A reportedAt is where a message is about.
type reportedAt struct {
	file, line, column string
	times              int
}

func (a reportedAt) String() string {
	text := a.file + ":" + a.line
	if a.column != "" {
		text += ":" + a.column
	}
	return text
}

// reports are the messages of a text, by what they say.
func reports(text string) map[string]reportedAt {
	all := map[string]reportedAt{}
	for _, m := range reported.FindAllStringSubmatch(text, -1) {
		key := path.Base(m[1]) + ": " + m[4]
		all[key] = reportedAt{path.Base(m[1]), m[2], m[3], all[key].times + 1}
	}
	return all
}

// misplaced is the first message about a file of the program that is of another line with -cover than without, or of no column. Messages that
// there are in one alone are passed over, as counters are code as well, and so are those that there are twice. The column itself is not
// compared: a counter may stand before it on the line. Held is how many messages there are in both.
func misplaced(t Trial, s *profiler.Subject, plain, covered string) (held int, all []difference) {
	own := map[string]bool{}
	for _, name := range s.GoFiles() {
		own[path.Base(name)] = true
	}
	without, with := reports(plain), reports(covered)
	for _, key := range sortedKeys(without) {
		a, b := without[key], with[key]
		if a.times != 1 || b.times != 1 || !own[a.file] {
			continue
		}
		held++
		detail := ""
		switch {
		case a.line != b.line:
			detail = "line"
		case a.column != "" && b.column == "":
			detail = "no column"
		default:
			continue
		}
		_, text, _ := strings.Cut(key, ": ")
		return held, []difference{{
			what: "where it is that the compiler says: " + text, expected: said("without -cover", "%s", a), got: said("with -cover", "%s", b), kind: "position", node: family(t.As), detail: detail,
		}}
	}
	return held, nil
}
