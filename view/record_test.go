package view_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"misstep/history"
	"misstep/history/record"
	"misstep/internal/gobuild"
	"misstep/internal/testhouse"
	"misstep/view"
)

// recorded is a recorded run.
type recorded struct {
	file []byte
	code *history.Code
}

// recordRun records a run of a program with its objects.
func recordRun(t testing.TB, h *testhouse.House, p *gobuild.Program) recorded {
	t.Helper()
	ctx := context.Background()
	r := &record.Recorder{Keeper: h.Keeper, Cache: h.Cache}
	rec, err := r.Build(ctx, p, h.Engine, t.TempDir(), record.BuildOptions{Objects: true})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := r.Run(ctx, rec, record.Options{Env: gobuild.RunEnv, Stdout: io.Discard, Stderr: os.Stderr}, &file); err != nil {
		t.Fatal(err)
	}
	return recorded{file.Bytes(), rec.Code()}
}

func (r recorded) reader(t testing.TB) *history.Reader {
	t.Helper()
	out, err := history.NewReader(bytes.NewReader(r.file))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// lister is the program of testdata, and the balloons that its list should have.
func lister(t testing.TB) (recorded, view.Options) {
	t.Helper()
	h := testhouse.New(t)
	r := recordRun(t, h, h.Find(t, "testdata/filelister.txtar")[0])
	tree, err := r.reader(t).Tree()
	if err != nil {
		t.Fatal(err)
	}
	plan := r.reader(t).Plan
	call := func(name string) *history.Activation {
		i := slices.IndexFunc(tree.Activations, func(a *history.Activation) bool { return plan.Funcs[a.Func].Name == name })
		return tree.Activations[i]
	}
	main := plan.Files[slices.IndexFunc(plan.Files, func(f history.File) bool { return f.Name == "main.go" })]
	at := func(text string) view.Position {
		before, _, _ := strings.Cut(main.Text, text)
		return view.Position{File: main.Name, Line: 1 + strings.Count(before, "\n"), Column: len(before) - strings.LastIndex(before, "\n")}
	}
	run, set := call("main.(*FileLister).run"), call("main.(*FileLister).setArgs")
	add := view.Balloon{
		Rank: 1, Operation: at("d.Add(name)"), Text: "d.Add(name)", Func: "main.(*FileLister).addItems", Object: "d",
		Branch: at("if f.active"), BranchText: "if f.active", Outcome: "was false",
		Decision: view.Decision{Activation: run.Start, At: set.End, Call: 1}, Distance: 1, Writes: true, Verified: "happens",
	}
	named := view.Balloon{
		Rank: 2, Operation: at("f.list.Add(a)"), Text: "f.list.Add(a)", Func: "main.(*FileLister).setArgs", Object: "f.list",
		Branch: at("a == \"\""), BranchText: "if a == \"\" || a[0] != '-'", Outcome: "was false", Writes: true,
	}
	for _, it := range set.Items {
		if it.Call == nil && plan.Sites[it.Site].Kind == history.Second {
			named.More = append(named.More, view.Decision{Activation: set.Start, At: it.Time, Call: 1})
		}
	}
	named.Decision, named.More = named.More[0], named.More[1:]
	named.Why = []view.Step{
		{Position: at("f.setArgs(args)"), Text: "since f.setArgs(args) was performed"},
		{Position: view.Position{File: "elsewhere.go", Line: 1}, Text: "since it was asked for elsewhere", Depth: 1},
	}
	large := view.Balloon{
		Rank: 3, Operation: at("fmt.Println(s.Len()"), Text: "fmt.Println(s.Len(), \"files\")", Func: "main.(*FileLister).printItems", Object: "s",
		Branch: at("switch"), BranchText: "switch", Outcome: "took another case",
	}
	print := call("main.(*FileLister).printItems")
	last := print.Items[0].Call
	large.Decision = view.Decision{Activation: print.Start, At: last.End, Call: 1}
	return r, view.Options{
		Object: "<List:1>", Code: r.code, Balloons: []view.Balloon{add, named, large},
		Before: []view.Step{{Position: at("if f.active"), Text: "a change happened, but to a copy"}},
		After:  []view.Step{{Position: at("switch"), Text: "a field is left out"}},
	}
}
