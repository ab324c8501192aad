// Package issue writes a finding up as the text of an issue, in the form that Delve's or Go's issue tracker asks for.
//
// The finding's script is carried out once more, and what it shows now is what the text says. Its actions are
// translated into commands of dlv's terminal client, which are run as well: the text has them only if what they
// print shows the same, and else says that the finding shows over DAP alone, and why. Compared are where the
// program pauses last, whether it has ended, and the value of an expression or a variable. What is of another
// kind, such as an order of messages, has no counterpart in the terminal.
package issue

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"misstep/dap"
	"misstep/finding"
	"misstep/internal/gobuild"
	"misstep/internal/proc"
	"misstep/script"
	"misstep/triage/bisect"
	"misstep/triage/localise"
	"misstep/triage/reduce"
)

// The projects whose form a text can have.
const (
	Delve = "delve"
	Go    = "go"
)

// A Writer writes issues.
type Writer struct {
	Env *script.Env
	// For is the project, Delve or Go; empty for the one that the evidence points to.
	For string
	// Since, if not nil, is asked since which version the finding shows, and Look, if not nil, which functions of
	// the debugger have its cause.
	Since *bisect.Pipeline
	Look  *localise.Pipeline
}

// mostRanked is how many functions a text names.
const mostRanked = 5

// A text is what there is to say.
type text struct {
	script  *script.Script
	result  *script.Result
	finding *finding.Finding
	engine  gobuild.Engine
	goes    map[string]string
	Study
}

// A Study is what is found out of a finding beyond what its script shows.
type Study struct {
	Debugger string `json:"debugger,omitempty"` // what dlv version prints, or the adapter's name
	// Terminal is nil where there is none, as of coverage profilers.
	Terminal *Terminal `json:"terminal,omitempty"`
	// Since says with which versions it shows, and Functions are those to look at, the likeliest first; empty if that was not
	// asked for.
	Since     string     `json:"since,omitempty"`
	Functions []Function `json:"functions,omitempty"`
}

// A Function is one of the debugger's.
type Function struct {
	Name string `json:"name"`
	File string `json:"file"` // below the source's folder
	Line int    `json:"line"`
}

// Write writes the issue of a finding. One that does not show is a [reduce.ErrNotReproduced].
func (w *Writer) Write(ctx context.Context, out io.Writer, s *script.Script) error {
	t, err := w.study(ctx, s)
	if err != nil {
		return err
	}
	project := w.For
	if project == "" {
		project = Delve
		if t.compiler() {
			project = Go
		}
	}
	var b bytes.Buffer
	t.write(&b, project)
	if _, err := out.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing the issue: %w", err)
	}
	return nil
}

// Study finds out what there is to say of a finding. One that does not show is a [reduce.ErrNotReproduced].
func (w *Writer) Study(ctx context.Context, s *script.Script) (*Study, error) {
	t, err := w.study(ctx, s)
	if err != nil {
		return nil, err
	}
	return &t.Study, nil
}

func (w *Writer) study(ctx context.Context, s *script.Script) (*text, error) {
	r, err := w.Env.Try(ctx, s)
	if err != nil {
		return nil, err
	}
	if r.Outcome != script.Reproduced {
		return nil, reduce.ErrNotReproduced
	}
	t := &text{script: s, result: r, finding: r.Findings[0], goes: map[string]string{}}
	if t.engine, err = gobuild.ParseEngine(s.Engine()); err != nil {
		return nil, err
	}
	if !s.Covers() {
		settled, err := w.Env.Cache.Settle(ctx, []gobuild.Engine{t.engine})
		if err != nil {
			return nil, err
		}
		t.engine = settled[0]
	}
	for _, name := range []string{"GOVERSION", "GOOS", "GOARCH"} {
		if t.goes[name], err = w.Env.Cache.GoEnv(ctx, t.engine, name); err != nil {
			return nil, err
		}
	}
	if err := w.versions(ctx, t); err != nil {
		return nil, err
	}
	if t.Terminal, err = w.terminal(ctx, t); err != nil {
		return nil, err
	}
	if w.Since != nil {
		if err := w.Since.Run(ctx, s); err != nil {
			return nil, fmt.Errorf("looking for the version that brought it: %w", err)
		}
		t.Since = w.Since.Found.String()
	}
	if w.Look != nil {
		report, err := w.Look.Run(ctx, s)
		if err != nil {
			return nil, fmt.Errorf("looking for the functions: %w", err)
		}
		for _, f := range report.Ranked[:min(len(report.Ranked), mostRanked)] {
			t.Functions = append(t.Functions, Function{f.Name, f.File, f.Line})
		}
	}
	return t, nil
}

// compiler reports whether it is Go that the finding is about.
func (t *text) compiler() bool {
	return t.script.Covers() || t.finding.Evidence != nil && t.finding.Evidence.Points == "compiler"
}

// versions asks the debugger what it is.
func (w *Writer) versions(ctx context.Context, t *text) error {
	if t.script.Covers() {
		return nil
	}
	t.Debugger = t.engine.String()
	if t.engine.Adapter != "dlv" {
		return nil
	}
	path, err := w.Env.Cache.Dlv(ctx, t.engine)
	if err != nil {
		return err
	}
	var said bytes.Buffer
	if _, err := w.Env.Keeper.Run(ctx, proc.Spec{Path: path, Args: []string{"version"}, Stdout: &said}); err != nil {
		return fmt.Errorf("asking %s for its version: %w", path, err)
	}
	t.Debugger = strings.TrimSpace(said.String())
	return nil
}

// expected and got are the two sides of the finding.
func (t *text) expected() string {
	if c := t.demand(); c != "" {
		return c
	}
	if t.finding.Expected.Text == "" {
		return t.finding.Reason
	}
	return strings.TrimSpace(t.finding.What + ": " + t.finding.Expected.String())
}

func (t *text) got() string {
	if t.demand() != "" {
		return t.finding.Got.String()
	}
	return strings.TrimSpace(t.finding.What + ": " + t.finding.Got.String())
}

// last is the event at which the finding shows.
func (t *text) last() *dap.Event {
	if s := t.finding.Session(); s.Index >= 0 && s.Index < len(s.Base) {
		return &s.Base[s.Index]
	}
	if t.result.Trace != nil && len(t.result.Trace.Events) > 0 {
		return &t.result.Trace.Events[len(t.result.Trace.Events)-1]
	}
	return nil
}
