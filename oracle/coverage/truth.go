package coverage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"misstep/finding"
	"misstep/history"
	"misstep/history/record"
	"misstep/internal/gobuild"
	"misstep/profiler"
)

// oldest is the oldest toolchain, by its minor version, that programs are recorded with. With those before it, it is the one at
// hand that records what they say, in the program's own language: what the program prints has to be the same.
const oldest = 23

// truth holds a profile against a recorded run.
func (c *Case) truth(ctx context.Context, t Trial) (*Verdict, error) {
	p, err := c.with(t)
	if err != nil {
		return nil, err
	}
	p.Mode = profiler.Count
	r, none, err := c.profiled(ctx, t, p)
	if none != nil || err != nil {
		return none, err
	}
	if r.Code < 0 {
		return not("it does not end by itself"), nil
	}
	recorded, none, err := c.record(ctx, r)
	if none != nil || err != nil {
		return none, err
	}
	made := 0
	var all []difference
	blocks, parsed := counted(r), files(r.Subject)
	for _, name := range sortedKeys(blocks) {
		f := parsed[name]
		if f == nil {
			continue
		}
		for _, b := range blocks[name] {
			i := slices.IndexFunc(f.statements, func(s statement) bool { return b.Contains(s.line, s.column) })
			want, known := recorded.count(name, b)
			if i < 0 || !known {
				continue // it has no statement that could be counted, or is of a function that is not recorded
			}
			made++
			if s := f.statements[i]; want != b.Count {
				all = append(all, difference{
					place: finding.Place{File: name, Line: s.line, Column: s.column, Func: s.fn}, what: "statement " + s.place(name),
					expected: said(finding.Recorded, "executed %d times", want), got: said("the profile", "executed %d times", b.Count), kind: strength(want, b.Count), node: s.kind,
				})
			}
		}
	}
	return verdict(Truth, made, all), nil
}

// A recording is what a recorded run says of a subject.
type recording struct {
	dir    string
	files  map[string][]history.Func
	counts *history.Counts
}

// count is how often the first statement of a block was executed; it is not known of functions that were not recorded.
func (r *recording) count(name string, b profiler.Block) (n uint64, known bool) {
	if !slices.ContainsFunc(r.files[r.path(name)], func(f history.Func) bool { return f.Line <= b.Line && b.EndLine <= f.EndLine }) {
		return 0, false
	}
	_, times := r.counts.Block(r.path(name), b.Line, b.Column, b.EndLine, b.EndColumn)
	return uint64(times), true
}

// path is a file of the subject as the recording names it.
func (r *recording) path(name string) string { return filepath.Join(r.dir, filepath.FromSlash(name)) }

// unpacked is a subject as a program in a folder, which is a module, of so new a language if it says nothing of that, but of none that
// this misstep's own type checker does not know.
func unpacked(dir string, s *profiler.Subject, minor int) (*gobuild.Program, error) {
	files := s.Files
	if own := gobuild.Minor(runtime.Version()); own > 0 {
		minor = min(minor, own)
	}
	if s.File("go.mod") == nil {
		files = append(slices.Clone(files), gobuild.File{Name: "go.mod", Data: fmt.Appendf(nil, "module %s\n\ngo 1.%d\n", s.Module(), minor)})
	}
	return gobuild.Unpack(dir, s.Name, files, s.Package, s.Args, s.Test)
}

// record records a run of a subject; the verdict says why there is none.
func (c *Case) record(ctx context.Context, r *profiler.Run) (*recording, *Verdict, error) {
	switch {
	case c.Recorder == nil:
		return nil, not("nothing is recorded"), nil
	case r.Profiler.Via == profiler.ByAll:
		return nil, not("of several packages' tests, nothing is recorded"), nil
	}
	dir, err := os.MkdirTemp(c.dir, "recorded-")
	if err != nil {
		return nil, nil, fmt.Errorf("making a folder for a recording: %w", err)
	}
	source := filepath.Join(dir, "source")
	prog, err := unpacked(source, r.Subject, r.Toolchain.Minor)
	if err != nil {
		return nil, nil, err
	}
	p := r.Profiler
	if r.Toolchain.Minor < oldest {
		p.Go = ""
	}
	rec, err := c.Recorder.Build(ctx, prog, engineFor(p), dir, record.BuildOptions{})
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		var build *gobuild.BuildError
		if errors.As(err, &build) {
			return nil, not("it is not recorded: it cannot be built so"), nil
		}
		return nil, not("it is not recorded: %v", err), nil
	}
	runCtx, cancel := context.WithTimeout(ctx, defaultRecording)
	defer cancel()
	var file, stdout bytes.Buffer
	end, err := c.Recorder.Run(runCtx, rec, record.Options{Env: gobuild.RunEnv, Size: mostRecorded, Stdout: &stdout, Stderr: io.Discard}, &file)
	switch {
	case ctx.Err() != nil:
		return nil, nil, context.Cause(ctx)
	case err != nil:
		return nil, not("it is not recorded: %v", err), nil
	case end.ExitCode != r.Code || !r.Prints(stdout.String()):
		return nil, not("recorded, it does something else"), nil
	case end.Words > mostWords, end.Stopped != "":
		return nil, not("its recording is too long"), nil
	}
	reader, err := history.NewReader(bytes.NewReader(file.Bytes()))
	if err != nil {
		return nil, nil, err
	}
	tree, err := reader.TreeUntil(mostEvents)
	if err != nil {
		return nil, nil, err
	}
	if tree.Times >= mostEvents {
		return nil, not("its recording is too long"), nil
	}
	if slices.ContainsFunc(tree.Roots[min(1, len(tree.Roots)):], func(a *history.Activation) bool { return a.End < 0 }) {
		return nil, not("its end cuts goroutines off, whose counts differ from run to run"), nil
	}
	own := map[string][]history.Func{}
	for _, f := range rec.Plan.Funcs {
		path := rec.Plan.Files[f.File].Path
		own[path] = append(own[path], f)
	}
	return &recording{source, own, history.Count(rec.Code(), tree)}, nil, nil
}

// What bounds a recording.
const (
	defaultRecording = time.Minute
	mostRecorded     = 64 << 20 // bytes
	mostWords        = 20_000_000
	mostEvents       = 5_000_000
)
