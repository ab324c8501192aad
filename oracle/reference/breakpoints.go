package reference

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"misstep/dap"
)

// passed judges the breakpoints between two moments of a goroutine, the first of
// which was seen at an event: none was passed by, and log points have printed.
func (j *judge) passed(i, from, to, seen int, out *dap.Output) {
	// In a fixed order, so that the same session has the same verdict.
	for _, key := range slices.Sorted(maps.Keys(j.points)) {
		p := j.points[key]
		if p.function {
			continue
		}
		if !p.clear {
			p.unsure = true
			continue
		}
		if j.m.Concurrent() && p.since > seen && !(seen < 0 && p.early) {
			continue // it was not there all the while
		}
		var hits []int
		for n := from + 1; n <= to && n < j.t.Hi; n++ {
			if j.m.executes(n, p) {
				hits = append(hits, n)
			}
		}
		switch {
		case p.condition != "" && p.hit == "" && p.log == "":
			j.conditions(i, key, p, hits, to)
		case p.condition != "":
			j.missed("R7-condition")
		case p.log != "" && j.m.Concurrent():
			// Messages are of any goroutine; see totals.
		case p.log != "":
			j.logs(i, key, p, hits, to, j.inside(from, p), out)
		case p.hit != "":
			if p.unsure || j.m.Concurrent() || j.inside(from, p) {
				p.unsure = true
				j.missed("R7-hit")
				continue
			}
			for n, h := range hits {
				if h != to && p.pausesAt(p.hits+n+1) {
					j.check(i, "R7-hit", false, dap.DiffLocation, fmt.Sprintf("execution %d of %s, with the hit condition %s", p.hits+n+1, key, p.hit), "a pause", "none")
					return
				}
				j.made("R7-hit")
			}
			p.hits += len(hits)
			if len(hits) == 0 {
				j.made("R7-hit")
			}
		default:
			j.made("R2-breakpoint")
			for _, h := range hits {
				if h != to {
					j.check(i, "R2-breakpoint", false, dap.DiffLocation, "the execution of "+key+" before the pause", "a pause", "none")
					return
				}
			}
		}
		if j.dead {
			return
		}
	}
}

// inside reports whether a moment is in the execution of a breakpoint's line, and the
// statement has several.
func (j *judge) inside(from int, p *point) bool {
	if from < j.t.Lo || from >= j.t.Hi {
		return false
	}
	mo := j.m.Moments[from]
	s := mo.Activation.Steps[mo.Step]
	return s.First != s.Last && s.First == p.line && j.m.Plan.Funcs[mo.Activation.Func].File == j.m.Files[p.file]
}

// conditions judges a breakpoint with a condition.
func (j *judge) conditions(i int, key string, p *point, hits []int, to int) {
	for _, h := range hits {
		holds, known := j.holds(p, h)
		if !known {
			j.missed("R7-condition")
			return
		}
		if h != to {
			j.check(i, "R7-condition", !holds, dap.DiffLocation, "an execution of "+key+" at which "+p.condition+" is true", "a pause", "none")
			if j.dead {
				return
			}
		} else {
			j.made("R7-condition")
		}
	}
}

// logs judges a log point: how often, and with which values where they are known.
// Inside says that the run was in a statement over several lines, whose first line
// may come now.
func (j *judge) logs(i int, key string, p *point, hits []int, to int, inside bool, out *dap.Output) {
	texts := messages(out, key)
	if inside {
		j.missed("R7-log")
		return
	}
	// Where the run pauses now may be before or after the log point.
	least := len(hits)
	if len(hits) > 0 && hits[len(hits)-1] == to {
		least--
	}
	j.check(i, "R7-log", len(texts) >= least && len(texts) <= len(hits), dap.DiffLog, "messages of the log point at "+key, strconv.Itoa(len(hits)), strconv.Itoa(len(texts)))
	for n, text := range texts {
		if j.dead {
			return
		}
		want, known := j.message(p, hits[n])
		if !known || strings.Contains(text, "{eval err") { // which is R9's
			j.missed("R7-log")
			return
		}
		j.check(i, "R7-log", named.ReplaceAllString(hexadecimal.ReplaceAllString(text, ""), "$1") == want, dap.DiffLog, "a message of the log point at "+key, want, text)
	}
}

// hexadecimal is how Delve shows numbers a second time.
var hexadecimal = regexp.MustCompile(` = 0x[0-9a-f…]+`)

// named is how Delve shows numbers that constants have names for.
var named = regexp.MustCompile(`\S+ \((-?[0-9]+)\)`)

// messages are those of the log point that was asked for under a key.
func messages(out *dap.Output, key string) []string {
	var texts []string
	for _, l := range out.Logs {
		if text, ok := strings.CutPrefix(l, key+": "); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// pausesAt reports whether a hit condition holds for the nth hit.
func (p *point) pausesAt(n int) bool {
	op := strings.TrimRight(p.hit, "0123456789 ")
	v, err := strconv.Atoi(strings.TrimSpace(p.hit[len(op):]))
	if err != nil {
		return false
	}
	switch strings.TrimSpace(op) {
	case "", "==", "=":
		return n == v
	case ">=":
		return n >= v
	case ">":
		return n > v
	case "<":
		return n < v
	case "<=":
		return n <= v
	case "!=":
		return n != v
	case "%":
		return v != 0 && n%v == 0
	}
	return false
}
