package covered_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/cover"
	"golang.org/x/tools/txtar"

	"misstep/history"
	"misstep/history/covered"
	"misstep/history/record"
	"misstep/internal/gobuild"
	"misstep/internal/testhouse"
	"misstep/profiler/converted"
)

// of records a program, and is what it executed.
func of(t testing.TB, h *testhouse.House, p *gobuild.Program) *covered.Report {
	t.Helper()
	r := &record.Recorder{Keeper: h.Keeper, Cache: h.Cache}
	rec, err := r.Build(context.Background(), p, h.Engine, t.TempDir(), record.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := r.Run(context.Background(), rec, record.Options{Env: gobuild.RunEnv}, &file); err != nil {
		t.Fatal(err)
	}
	reader, err := history.NewReader(bytes.NewReader(file.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	tree, err := reader.Tree()
	if err != nil {
		t.Fatal(err)
	}
	return covered.Of(rec, tree)
}

// ofText is what a program of one file executes.
func ofText(t testing.TB, h *testhouse.House, text string) *covered.Report {
	t.Helper()
	p, err := h.Finder().Unpack(context.Background(), "p", txtar.Parse([]byte("-- go.mod --\nmodule p\n\ngo 1.25\n-- main.go --\npackage main\n\n"+text)))
	if err != nil {
		t.Fatal(err)
	}
	return of(t, h, p)
}

// said is a report's branches, a line each.
func said(r *covered.Report) string {
	var b strings.Builder
	for _, f := range r.Files {
		for _, x := range f.Branches {
			var all []string
			for _, o := range x.Outcomes {
				all = append(all, fmt.Sprintf("%s %d", o.Name, o.Count))
			}
			fmt.Fprintf(&b, "%d %s: %s\n", x.Line, x, strings.Join(all, ", "))
		}
	}
	return b.String()
}

// TestBranches: each kind of branch and condition, by what it went.
func TestBranches(t *testing.T) {
	h := testhouse.New(t)
	for _, test := range []struct{ name, text, want string }{
		{"if", "func f(n int) {\n\tif n > 1 {\n\t\tprintln(1)\n\t} else if n > 0 {\n\t}\n}\n\nfunc main() { f(0); f(2); f(3) }\n",
			"4 if n > 1: true 2, false 1\n4 condition n > 1: true 2, false 1\n6 if n > 0: true 0, false 1\n6 condition n > 0: true 0, false 1\n"},
		{"and-or", "func f(a, b, c bool) bool {\n\tif a && b || c {\n\t\treturn true\n\t}\n\treturn a || b && !c\n}\n\nfunc main() { f(true, true, false); f(true, false, true); f(false, false, false) }\n",
			"4 if a && b || c: true 2, false 1\n4 condition a: true 2, false 1\n4 condition b: true 1, false 1\n4 condition c: true 1, false 1\n7 condition a: true 0, false 1\n7 condition b: true 0, false 1\n7 condition !c: true 0, false 0\n"},
		{"for", "func main() {\n\tfor i := 0; i < 3; i++ {\n\t}\n\tfor j := 0; j < 9; j++ {\n\t\tif j == 2 {\n\t\t\tbreak\n\t\t}\n\t}\n\tfor {\n\t\tbreak\n\t}\n}\n",
			"4 for i < 3: true 3, false 1\n4 condition i < 3: true 3, false 1\n6 for j < 9: true 3, false 0\n6 condition j < 9: true 3, false 0\n7 if j == 2: true 1, false 2\n7 condition j == 2: true 1, false 2\n"},
		{"range", "func f(xs []int) {\n\tfor range xs {\n\t}\n\tfor _, x := range xs {\n\t\tprintln(x)\n\t}\n}\n\nfunc main() { f(nil); f([]int{1}); f([]int{1, 2}) }\n",
			"4 range xs: elements 2, no element 1\n6 range xs: elements 2, no element 1\n"},
		{"switch", "func f(n int, v any) {\n\tswitch n {\n\tcase 1, 2:\n\tcase 3:\n\t\tfallthrough\n\tcase 4:\n\t}\n\tswitch v.(type) {\n\tcase int:\n\tdefault:\n\t}\n}\n\nfunc main() { f(1, 1); f(3, \"\"); f(9, 2) }\n",
			"4 switch n: 1, 2 1, 3 1, 4 1, no clause 1\n10 switch v.(type): int 2, default 1\n"},
		{"select", "func main() {\n\tch := make(chan int, 1)\n\tfor range 2 {\n\t\tselect {\n\t\tcase ch <- 1:\n\t\tcase v := <-ch:\n\t\t\tprintln(v)\n\t\tdefault:\n\t\t}\n\t}\n}\n",
			"5 range 2: elements 1, no element 0\n6 select: ch <- 1 1, v := <-ch 1, default 0\n"},
		{"constant", "const debug = false\n\nfunc main() {\n\tif debug {\n\t\tprintln(1)\n\t}\n\tx := len([]int{1})\n\tif x > 0 && !debug {\n\t\tprintln(2)\n\t}\n}\n",
			"10 if x > 0 && !debug: true 1, false 0\n10 condition x > 0 && !debug: true 1, false 0\n"},
		{"closure", "func main() {\n\tf := func(n int) bool { return n > 0 && n < 5 }\n\tprintln(f(1), f(0), f(9))\n}\n",
			"4 condition n > 0: true 2, false 1\n4 condition n < 5: true 1, false 1\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := said(ofText(t, h, test.text)); got != test.want {
				t.Errorf("got\n%swant\n%s", got, test.want)
			}
		})
	}
}

// TestStatements: statements are counted as go build -cover counts their blocks, and no outcome comes more often than its
// branch is come to.
func TestStatements(t *testing.T) {
	h := testhouse.New(t)
	compared := 0
	for _, p := range testhouse.Part(h.Find(t, "corpus"), 10) {
		if h.Load(t, p).Concurrent() {
			continue // how far goroutines come before the program ends, they do not do alike in two builds
		}
		blocks, err := h.Cache.Cover(context.Background(), p, h.Engine, gobuild.DefaultLimits)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range of(t, h, p).Files {
			for _, b := range blocks {
				i := slices.IndexFunc(f.Statements, func(s *covered.Statement) bool {
					from := s.Line > b.Line || s.Line == b.Line && s.Column >= b.Column
					return b.File == f.Path && from && (s.Line < b.EndLine || s.Line == b.EndLine && s.Column < b.EndColumn)
				})
				if i < 0 {
					continue
				}
				compared++
				if s := f.Statements[i]; s.Count != b.Count {
					t.Errorf("%s: %s:%d:%d is counted %d times, by go build -cover %d times", p.Name, f.Name, s.Line, s.Column, s.Count, b.Count)
				}
			}
		}
	}
	if compared < 100 {
		t.Errorf("only %d statements were compared", compared)
	}
}

// formed is a program that is partly executed.
const formed = "func f(n int) int {\n\tif n > 1 && n < 5 {\n\t\treturn 1\n\t}\n\treturn 2\n}\n\nfunc never() { println(\"<&>\") }\n\nfunc main() { println(f(0)) }\n"

// TestForms: the forms are those that their readers read, and say the same.
func TestForms(t *testing.T) {
	h := testhouse.New(t)
	r := ofText(t, h, formed)
	s := r.Shares()
	if s.Statements != (covered.Share{Covered: 3, All: 5}) || s.Branches != (covered.Share{Covered: 1, All: 2}) || s.Conditions != (covered.Share{Covered: 1, All: 4}) {
		t.Errorf("%+v", s)
	}
	twice := &covered.Report{}
	twice.Add(r)
	again := ofText(t, h, formed)
	again.Files[0].Path = r.Files[0].Path
	twice.Add(again)
	if n := twice.Files[0].Statements[0].Count; n != 2 {
		t.Errorf("added up, the first statement counts %d times", n)
	}
	r = ofText(t, h, formed)
	var text, profile, lcov, cobertura, page bytes.Buffer
	for _, err := range []error{r.WriteText(&text, true, true), r.WriteProfile(&profile), r.WriteLCOV(&lcov), r.WriteCobertura(&cobertura, "/dir", time.Unix(0, 0)), r.WriteHTML(&page, "p")} {
		if err != nil {
			t.Error(err)
		}
	}
	for _, want := range []string{"60.0%", "main.go:3 main.f", "condition n > 1: never true"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in\n%s", want, text.String())
		}
	}
	for format, text := range map[string]string{converted.LCOV: lcov.String(), converted.Cobertura: cobertura.String()} {
		report, err := converted.Parse(format, text)
		if err != nil {
			t.Errorf("%s: %v", format, err)
			continue
		}
		for _, s := range report.Faults() {
			t.Errorf("%s: %s says %s, and is %s", format, s.Of, s.Says, s.Is)
		}
		if len(report.Files) != 1 || len(report.Files[0].Lines) == 0 || len(report.Files[0].Functions) == 0 {
			t.Errorf("%s: %+v", format, report.Files)
		}
	}
	profiles, err := cover.ParseProfilesFromReader(&profile)
	if err != nil || len(profiles) != 1 || len(profiles[0].Blocks) != 5 {
		t.Errorf("%v, %v", profiles, err)
	}
	for _, want := range []string{"DA:4,1\n", "BRDA:4,0,0,0\n", "FNDA:0,main.never\n", "LF:5\nLH:3\n", "end_of_record"} {
		if !strings.Contains(lcov.String(), want) {
			t.Errorf("%q is not in\n%s", want, lcov.String())
		}
	}
	var doc struct {
		Rate  string `xml:"line-rate,attr"`
		Lines []struct {
			Number, Hits int
		} `xml:"packages>package>classes>class>lines>line"`
	}
	if err := xml.Unmarshal(cobertura.Bytes(), &doc); err != nil || doc.Rate != "0.6000" || len(doc.Lines) != 5 {
		t.Errorf("%+v, %v", doc, err)
	}
	for _, want := range []string{"println(&#34;&lt;&amp;&gt;&#34;)", `class="l none"`, `class="l half"`, `class="l done"`} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("%q is not in the page", want)
		}
	}
}
