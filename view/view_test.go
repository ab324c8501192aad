package view_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"misstep/history"
	"misstep/internal/testhouse"
	"misstep/view"
)

var update = flag.Bool("update", false, "write the outlines in testdata")

// TestShow: the rows of a page are what history.Show prints, event by event, with the
// types known and without.
func TestShow(t *testing.T) {
	h := testhouse.New(t)
	names := []string{"testdata/filelister.txtar"}
	for _, name := range testhouse.Part([]string{"recursion", "deferpanic", "iterators", "rangeover", "goroutines", "selects", "exits", "crashes", "labels", "switches", "closures", "packages", "oneline"}, 7) {
		names = append(names, "corpus/"+name)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			r := recordRun(t, h, h.Find(t, name)[0])
			want := shown(t, r)
			for _, code := range []*history.Code{r.code, nil} {
				p := write(t, r, view.Options{Code: code})
				got := p.shown()
				if !slices.Equal(got, want) {
					for i := range max(len(got), len(want)) {
						if i >= len(got) || i >= len(want) || got[i] != want[i] {
							t.Fatalf("with types %t, %d events, want %d; number %d:\n%s\nwant\n%s", code != nil, len(got), len(want), i, strings.Join(got[min(i, len(got)):min(i+3, len(got))], "\n"), strings.Join(want[min(i, len(want)):min(i+3, len(want))], "\n"))
						}
					}
				}
				p.check(t)
			}
		})
	}
}

var (
	goroutineLine = regexp.MustCompile(`^goroutine (\d+)$`)
	eventLine     = regexp.MustCompile(`^ *(\d+)  ((?:  )*)(.*)$`)
	endLine       = regexp.MustCompile(`^(end of|ended by a panic:) `)
	callLine      = regexp.MustCompile(`^(\S+) \(\S+\)$`)
	verbLine      = regexp.MustCompile(`^(\S+:\d+) (.*)$`)
	outcomes      = regexp.MustCompile(`^(if|loop|case|second operand): `)
)

// shown are the events that Show prints, goroutine by goroutine.
func shown(t *testing.T, r recorded) []string {
	var out bytes.Buffer
	if err := history.Show(&out, r.reader(t), history.Filter{}); err != nil {
		t.Fatal(err)
	}
	by := map[string][]string{}
	g := ""
	for line := range strings.Lines(out.String()) {
		line = strings.TrimSuffix(line, "\n")
		if m := goroutineLine.FindStringSubmatch(line); m != nil {
			g = m[1]
			continue
		}
		m := eventLine.FindStringSubmatch(line)
		text := endLine.ReplaceAllString(m[3], "end of ")
		if text == m[3] {
			if c := callLine.FindStringSubmatch(text); c != nil {
				text = "call " + c[1]
			} else if c := verbLine.FindStringSubmatch(text); c != nil {
				text = c[1] + " " + outcomes.ReplaceAllString(c[2], "")
				text = strings.TrimSuffix(text, " label")
				text = strings.Replace(text, "an object without a size", "nil", 1)
			}
		}
		by[g] = append(by[g], fmt.Sprintf("%s %8s %d %s", g, m[1], len(m[2])/2, text))
	}
	return ordered(by)
}

func ordered(by map[string][]string) []string {
	var all []string
	for _, list := range by {
		slices.SortStableFunc(list, strings.Compare)
		all = append(all, list...)
	}
	slices.Sort(all)
	return all
}

// shown are the rows that are events.
func (p *page) shown() []string {
	by := map[string][]string{}
	for i, r := range p.rows {
		g, depth := "", 0
		for at := r.parent; at >= 0; at = p.rows[at].parent {
			switch p.kind(int(at)) {
			case goroutine:
				g = fmt.Sprint(p.rows[at].aux)
			case call:
				depth++
			}
		}
		text, outcome, place := p.says(i)
		add := func(time int64, text string) {
			by[g] = append(by[g], fmt.Sprintf("%s %8d %d %s", g, time, depth, text))
		}
		switch p.kind(i) {
		case call:
			add(r.time, "call "+text)
			if r.end >= 0 {
				add(r.end, "end of "+text)
			}
		case mark:
			add(r.time, strings.TrimRight(place+" "+outcome, " "))
		case object:
			add(r.time, place+" "+text+" "+p.name(i))
		}
	}
	return ordered(by)
}

// check checks what the page relies on: children follow each other, after their parent,
// and times never go back within a goroutine.
func (p *page) check(t *testing.T) {
	t.Helper()
	seen := p.index.Roots
	for i, r := range p.rows {
		for c := r.first; c < r.first+r.size; c++ {
			if c <= int64(i) || p.rows[c].parent != int64(i) {
				t.Fatalf("row %d has children from %d to %d, but the parent of %d is %d", i, r.first, r.first+r.size, c, p.rows[c].parent)
			}
			seen++
		}
	}
	if seen != len(p.rows) {
		t.Errorf("%d of %d rows can be reached", seen, len(p.rows))
	}
	for root := range p.index.Roots {
		last := int64(0)
		var walk func(row int)
		walk = func(row int) {
			if p.rows[row].time < last {
				text, _, place := p.says(row)
				t.Errorf("row %d, %s %s, is of time %d, after one of %d", row, place, text, p.rows[row].time, last)
			}
			last = p.rows[row].time
			for c := range p.rows[row].size {
				walk(int(p.rows[row].first + c))
			}
		}
		walk(root)
	}
}

// outline is a page's tree as text.
func (p *page) outline() string {
	var b strings.Builder
	var walk func(row, depth int)
	walk = func(row, depth int) {
		r := p.rows[row]
		text, outcome, place := p.says(row)
		kind := [...]string{"goroutine", "call", "mark", "lapse", "loop", "object", "branch", "balloon"}[p.kind(row)]
		parts := []string{kind}
		switch p.kind(row) {
		case object:
			parts = append(parts, text, p.name(row))
		case balloon:
			parts = append(parts, p.index.Balloons[r.aux].Text...)
		default:
			parts = append(parts, text, outcome)
		}
		switch p.kind(row) {
		case loop, mark, goroutine:
			if r.aux > 0 {
				parts = append(parts, fmt.Sprint(r.aux))
			}
		}
		fmt.Fprintf(&b, "%s%s  [%s]\n", strings.Repeat("  ", depth), strings.Join(strings.Fields(strings.Join(parts, " ")), " "), strings.TrimSpace(fmt.Sprint(place, " ", r.time)))
		for c := range r.size {
			walk(int(r.first+c), depth+1)
		}
	}
	for root := range p.index.Roots {
		walk(root, 0)
	}
	return b.String()
}

// sameOutline compares a page's tree with that in testdata.
func sameOutline(t *testing.T, p *page, name string) (want string) {
	t.Helper()
	got := p.outline()
	file := "testdata/" + name + ".outline"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(text) {
		t.Errorf("the outline is\n%s\nwant\n%s", got, text)
	}
	return string(text)
}

// TestOrder: where what did not happen is among what did.
func TestOrder(t *testing.T) {
	h := testhouse.New(t)
	r := recordRun(t, h, h.Find(t, "testdata/order.txtar")[0])
	p := write(t, r, view.Options{Code: r.code})
	p.check(t)
	sameOutline(t, p, "order")
}

// TestOutline: what is inside of what, the balloons on their branches, to be read.
func TestOutline(t *testing.T) {
	r, opts := lister(t)
	p := write(t, r, opts)
	want := sameOutline(t, p, "filelister")
	// Without types, it is not known that fmt.Println calls a method.
	opts.Code = nil
	called := strings.Replace(want, "String  [main.go:58 56]", "String  [56]", 1)
	if got := write(t, r, opts).outline(); got != called {
		t.Errorf("without types, the outline is\n%s", got)
	}
	for i, b := range p.index.Balloons {
		if len(b.Rows) != len(b.Calls) {
			t.Errorf("balloon %d has %d rows for %d decisions", i, len(b.Rows), len(b.Calls))
		}
	}
	if n := p.index.Badges[1]; n != 5 {
		t.Errorf("%d balloons below the goroutine, want 5", n)
	}
}

// TestLines: how often lines were executed, in all and in an activation.
func TestLines(t *testing.T) {
	r, opts := lister(t)
	p := write(t, r, opts)
	text, counts := p.source(t, "main.go")
	for _, c := range []struct {
		line string
		want int64
	}{
		{"lister.run(", 1}, {"if f.active {", 1}, {"f.addItems()", 0}, {"for _, a := range args", 1}, {"if a == ", 3},
		{"f.list.Add(a)", 0}, {"f.args.Add(a)", 3}, {"d := f.list", 0}, {"switch {", 1}, {"case s.Len()", 1}, {"fmt.Println(s)", 1},
		{"// addItems", -1}, {"func (f *FileLister) run", -1}, {"default:", -1},
	} {
		n := slices.IndexFunc(text, func(s string) bool { return strings.HasPrefix(strings.TrimSpace(s), c.line) }) + 1
		got, ok := counts[n]
		if !ok {
			got = -1
		}
		if n == 0 || got != c.want {
			t.Errorf("%q, line %d, was executed %d times, want %d", c.line, n, got, c.want)
		}
	}
	for i, row := range p.rows {
		if name, _, _ := p.says(i); p.kind(i) == call && name == "main.(*FileLister).run" {
			if got, want := p.lines[row.aux-1], []int{19, 20, 21, 24}; !slices.Equal(got, want) {
				t.Errorf("run executed the lines %v, want %v", got, want)
			}
		}
	}
}

func (p *page) source(t *testing.T, name string) (lines []string, counts map[int]int64) {
	t.Helper()
	var f struct {
		Text       string
		Statements []int
		Counts     []int64
	}
	if err := json.Unmarshal(p.blocks[fmt.Sprintf("file-%d", slices.Index(p.index.Files, name))], &f); err != nil {
		t.Fatal(err)
	}
	counts = map[int]int64{}
	for i, n := range f.Statements {
		counts[n] = f.Counts[i]
	}
	return strings.Split(f.Text, "\n"), counts
}

// TestEscaped: no text of a program is in the page as it is.
func TestEscaped(t *testing.T) {
	r, opts := lister(t)
	bad := `</script><script>alert(1)</script><!--`
	opts.Balloons[0].Text, opts.Balloons[0].BranchText = bad+"d.Add()", bad
	reader := r.reader(t)
	reader.Plan.Program = bad
	var html bytes.Buffer
	if err := view.Write(&html, reader, opts); err != nil {
		t.Fatal(err)
	}
	text := html.String()
	if n := strings.Count(text, "<script"); n != len(decode(t, html.Bytes()).blocks)+1 {
		t.Errorf("%d scripts", n)
	}
	for _, s := range []string{bad, "alert(1)<", "does not end the page", "FileLister"} {
		if strings.Contains(text, s) {
			t.Errorf("the page holds %q", s)
		}
	}
	if source, _ := decode(t, html.Bytes()).source(t, "list.go"); !strings.Contains(strings.Join(source, "\n"), "</script> does not end the page") {
		t.Error("the source is not in the page")
	}
	if !strings.Contains(text, "default-src &#39;none&#39;") {
		t.Error("the page has no policy")
	}
}

// TestBad: histories that are cut short are shown up to there; what is asked for in
// vain is said to be so.
func TestBad(t *testing.T) {
	r, opts := lister(t)
	cut := recorded{r.file[:len(r.file)-20], r.code}
	p := write(t, cut, view.Options{})
	if len(p.index.Notes) != 1 || !strings.Contains(p.index.Notes[0], "cut short") || p.index.Events == 0 {
		t.Errorf("a history that is cut short has %d events and says %q", p.index.Events, p.index.Notes)
	}
	p = write(t, r, view.Options{Limit: 20, Code: r.code, Balloons: opts.Balloons})
	if p.index.Events != 20 || len(p.index.Notes) != 1 || !strings.Contains(p.index.Notes[0], "only the first 20 events are shown") {
		t.Errorf("with a limit of 20 there are %d events, and it says %q", p.index.Events, p.index.Notes)
	}
	p.check(t)
	if rows := p.index.Balloons[0].Rows; len(rows) > 0 {
		t.Errorf("a balloon after the limit has the rows %v", rows)
	}
	// Sources that are no Go have events, and no more than that.
	reader := r.reader(t)
	for i := range reader.Plan.Files {
		reader.Plan.Files[i].Text = "no source"
	}
	var html bytes.Buffer
	if err := view.Write(&html, reader, view.Options{Balloons: opts.Balloons}); err != nil {
		t.Fatal(err)
	}
	if got := decode(t, html.Bytes()).shown(); !slices.Equal(got, shown(t, r)) {
		t.Errorf("without sources, the events are %q", got)
	}
	for _, name := range []string{"<List:9>", "List"} {
		err := view.Write(&bytes.Buffer{}, r.reader(t), view.Options{Object: name})
		if err == nil || err.Error() != "the history has no object "+name+"; misstep history instances lists them" {
			t.Errorf("%s: %v", name, err)
		}
	}
	failure := errors.New("full")
	if err := view.Write(failing{failure}, r.reader(t), view.Options{}); !errors.Is(err, failure) {
		t.Errorf("a disk that is full: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// million is a recorded run of a million events.
func million(t testing.TB) recorded {
	t.Helper()
	h := testhouse.New(t)
	p := h.Find(t, "testdata/million.txtar")
	return recordRun(t, h, p[0])
}

// TestMillion: a history of a million events makes a page whose index stays small.
func TestMillion(t *testing.T) {
	p := write(t, million(t), view.Options{})
	if p.index.Events < 1e6 {
		t.Fatalf("only %d events", p.index.Events)
	}
	p.check(t)
	if n := len(p.blocks["index"]); n > 20_000 {
		t.Errorf("the index has %d bytes", n)
	}
}

// BenchmarkWrite writes the page of a million events; the metric is its size.
func BenchmarkWrite(b *testing.B) {
	r := million(b)
	var html bytes.Buffer
	for b.Loop() {
		html.Reset()
		if err := view.Write(&html, r.reader(b), view.Options{Code: r.code}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(html.Len())/1e6, "MB")
	b.ReportMetric(float64(len(decode(b, html.Bytes()).blocks["index"])), "index-bytes")
}
