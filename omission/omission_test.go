package omission_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"misstep/history"
	"misstep/history/record"
	"misstep/internal/gobuild"
	"misstep/internal/testhouse"
	"misstep/omission"
)

var update = flag.Bool("update", false, "write what is found into the test data")

// recordRun records a program with its objects, and finds omissions in the run.
func recordRun(t testing.TB, h *testhouse.House, p *gobuild.Program, deps ...string) (*omission.Finder, *history.Recording, *history.Reader) {
	t.Helper()
	ctx := context.Background()
	r := &record.Recorder{Keeper: h.Keeper, Cache: h.Cache}
	rec, err := r.Build(ctx, p, h.Engine, t.TempDir(), record.BuildOptions{Objects: true, Deps: deps})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := r.Run(ctx, rec, record.Options{}, &file); err != nil {
		t.Fatal(err)
	}
	reader, err := history.NewReader(bytes.NewReader(file.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	f, err := omission.New(reader, rec, omission.ByType{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Check(); err != nil {
		t.Error(err)
	}
	return f, rec, reader
}

// asked is a test's program, what is asked about it, and what is expected: those files that
// have no part in the program.
type asked struct {
	archive *txtar.Archive
	program *gobuild.Program
	objects []string
	want    *txtar.File
}

// readAsked reads a test, and writes its program into a folder.
func readAsked(t *testing.T, h *testhouse.House, file string) *asked {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example\n\ngo 1.24\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	r := &asked{archive: a}
	for i, f := range a.Files {
		switch f.Name {
		case "object":
			r.objects = strings.Split(strings.TrimSpace(string(f.Data)), "\n")
		case "want":
			r.want = &a.Files[i]
		default:
			path := filepath.Join(dir, f.Name)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, f.Data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	p := h.Find(t, dir)
	if len(p) != 1 || len(r.objects) == 0 || r.want == nil {
		t.Fatalf("%s: %d programs, %d objects, want is %v; expected one program, objects, and a file want", file, len(p), len(r.objects), r.want)
	}
	r.program = p[0]
	return r
}

// usesC reports whether the program imports C.
func (r *asked) usesC() bool {
	return slices.ContainsFunc(r.archive.Files, func(f txtar.File) bool { return bytes.Contains(f.Data, []byte(`import "C"`)) })
}

// compare compares what was found with what is expected, or writes it there.
func (r *asked) compare(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		r.want.Data = []byte(got)
		if err := os.WriteFile(file, txtar.Format(r.archive), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if got != string(r.want.Data) {
		t.Errorf("%s\ngot\n%swant\n%s", r.archive.Comment, got, r.want.Data)
	}
}

// TestFind runs the programs in testdata, one for each kind of branch or operation. The
// file object names the subject, with options after it; the file want is what is found.
func TestFind(t *testing.T) {
	h := testhouse.New(t)
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no test data", err)
	}
	for _, file := range testhouse.Part(files, 8) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a := readAsked(t, h, file)
			f, rec, _ := recordRun(t, h, a.program)
			var out bytes.Buffer
			for _, line := range a.objects {
				words := strings.Fields(line)
				var opts omission.Options
				s, err := f.Subject(words[0])
				if err != nil {
					out.WriteString(err.Error() + "\n")
					continue
				}
				verify := false
				for _, w := range words[1:] {
					switch {
					case w == "reads":
						opts.Reads = true
					case w == "verify":
						verify = true
					default:
						if err := s.Of(w); err != nil {
							t.Fatal(err)
						}
					}
				}
				list, err := f.Find(context.Background(), s, opts)
				if err != nil {
					t.Fatal(err)
				}
				if verify {
					v := &omission.Verifier{Recorder: &record.Recorder{Keeper: h.Keeper, Cache: h.Cache}, Engine: h.Engine, Runs: 50, Time: 1 << 40}
					var sum *omission.Verification
					if list, sum, err = v.Verify(context.Background(), f, rec, list, t.TempDir()); err != nil {
						t.Fatal(err)
					}
					if !sum.Deterministic || sum.Left > 0 {
						t.Errorf("%+v", *sum)
					}
				}
				if err := omission.NewReport(s, list, nil, f.Untaken()).Text(&out, 0); err != nil {
					t.Fatal(err)
				}
			}
			a.compare(t, file, out.String())
		})
	}
}

// TestFileLister: of the paper's file lister, there is exactly the balloon of Figure 6, at
// the condition in run, for the addition to the list in addItem. The analysis of the whole
// program knows that this is never the list of arguments; types alone do not.
func TestFileLister(t *testing.T) {
	h := testhouse.New(t)
	ctx := context.Background()
	p := h.Find(t, "corpus/lister")
	byType, rec, r := recordRun(t, h, p[0])
	analyzed, err := omission.Analyze(ctx, rec, h.Engine)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := omission.New(r, rec, analyzed, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []*omission.Finder{byType, whole} {
		want := map[string]int{"<list:1>": 1, "main.go:31": 1, "main.go:50:s": 1}
		if f == whole {
			want["<list:2>"] = 0
		}
		for object, want := range want {
			s, err := f.Subject(object)
			if err != nil {
				t.Fatal(err)
			}
			list, err := f.Find(ctx, s, omission.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(list) != want {
				t.Errorf("%s: %d balloons, want %d", object, len(list), want)
			}
			for _, b := range list {
				if len(b.Operations) != 1 {
					t.Errorf("%s: %d operations", object, len(b.Operations))
				}
				op := b.Operations[0]
				got := fmt.Sprintf("%s %s %s %d; %s %s %s", op.Place, op.Text, op.Func, op.Distance, b.Branch.Place, b.Branch.Outcome, b.Branch.Func)
				if want := "main.go:45:3 d.add(n) main.(*fileLister).addItem 1; main.go:23:5 was false main.(*fileLister).run"; got != want {
					t.Errorf("%s: %s, want %s", object, got, want)
				}
			}
		}
	}
}

// TestGraphs: what each activation of a program executed is a way through the graph of
// its function. Set MISSTEP_GOROOT to a number of programs of $GOROOT/test to try, too.
func TestGraphs(t *testing.T) {
	h := testhouse.New(t)
	programs := testhouse.Part(h.Find(t, "corpus"), 12)
	if s := os.Getenv("MISSTEP_GOROOT"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("MISSTEP_GOROOT is %q; expected a number", s)
		}
		more := h.Find(t, "goroot")
		r := rand.New(rand.NewPCG(7, 7))
		r.Shuffle(len(more), func(i, j int) { more[i], more[j] = more[j], more[i] })
		programs = append(programs, more[:min(n, len(more))]...)
	}
	var steps, unfit, asked atomic.Int64
	t.Run("programs", func(t *testing.T) {
		for _, p := range programs {
			t.Run(p.Name, func(t *testing.T) {
				t.Parallel()
				ctx := context.Background()
				r := &record.Recorder{Keeper: h.Keeper, Cache: h.Cache}
				rec, err := r.Build(ctx, p, h.Engine, t.TempDir(), record.BuildOptions{Objects: true})
				var build *gobuild.BuildError
				if errors.As(err, &build) && strings.HasPrefix(p.Name, "goroot") {
					unfit.Add(1)
					t.Skip(err)
				}
				if err != nil {
					t.Fatal(err)
				}
				var file bytes.Buffer
				end, err := r.Run(ctx, rec, record.Options{Size: 8 << 20, Time: 20 * time.Second}, &file)
				if err != nil {
					t.Fatal(err)
				}
				if end.Stopped != "" {
					unfit.Add(1)
					t.Skip(end.Stopped)
				}
				reader, err := history.NewReader(bytes.NewReader(file.Bytes()))
				if err != nil {
					t.Fatal(err)
				}
				f, err := omission.New(reader, rec, omission.ByType{}, 0)
				if err != nil {
					t.Fatal(err)
				}
				n, err := f.Check()
				if err != nil {
					t.Error(err)
				}
				steps.Add(int64(n))
				// Whatever is asked for, the answer hangs together.
				candidates := f.Candidates()
				for _, c := range candidates[:min(len(candidates), 5)] {
					s, err := f.Subject(c.Name)
					if err != nil {
						t.Fatal(err)
					}
					list, err := f.Find(ctx, s, omission.Options{Reads: true})
					if err != nil {
						t.Fatal(err)
					}
					for i, b := range list {
						if b.Rank != i+1 || len(b.Operations) == 0 {
							t.Errorf("%s: balloon %d has rank %d and %d operations", c.Name, i, b.Rank, len(b.Operations))
						}
						for _, op := range b.Operations {
							asked.Add(1)
							for _, br := range op.Branches {
								if len(br.Moments) == 0 || br.Count < len(br.Moments) || br.Outcome == "" || br.Place.Line == 0 || op.Text == "" {
									t.Errorf("%s: %s: %+v", c.Name, op.Text, *br)
								}
							}
						}
					}
				}
			})
		}
	})
	if steps.Load() < 1000 {
		t.Errorf("%d steps only", steps.Load())
	}
	if asked.Load() < 10 {
		t.Errorf("%d operations only", asked.Load())
	}
	t.Logf("%d steps of %d programs, of which %d were unfit; %d operations that did not happen", steps.Load(), len(programs), unfit.Load(), asked.Load())
}

// TestAsked asks about programs as a user does, with the analysis of the whole program and
// runs with inverted branches: a program for each way in which an omission hides.
func TestAsked(t *testing.T) {
	h := testhouse.New(t)
	files, err := filepath.Glob("testdata/asked/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no test data", err)
	}
	for _, file := range testhouse.Part(files, 10) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a := readAsked(t, h, file)
			if a.usesC() && !h.Engine.CompilesC() {
				t.Skip("there is no C compiler")
			}
			var out, notices bytes.Buffer
			for _, object := range a.objects {
				q := &omission.Query{Object: object, Analysis: time.Minute, Events: omission.MaxEvents, Engine: h.Engine, Notice: &notices, Verify: true}
				q.Verifier = omission.Verifier{Recorder: &record.Recorder{Keeper: h.Keeper, Cache: h.Cache}, Engine: h.Engine, Runs: 100, Time: time.Hour}
				ctx, work := context.Background(), t.TempDir()
				run, err := q.OfProgram(ctx, a.program, nil, record.Options{Stdout: io.Discard, Stderr: io.Discard}, work)
				if err != nil {
					t.Fatal(err)
				}
				defer run.Close()
				f, err := q.Finder(ctx, run.Recording, run.Reader, "run")
				if err != nil {
					t.Fatal(err)
				}
				if _, err := f.Check(); err != nil {
					t.Error(err)
				}
				answer, err := q.Run(ctx, f, run.Recording, work)
				if err != nil {
					out.WriteString(err.Error() + "\n")
					continue
				}
				answer.Report.Verification = nil // it has times
				if err := answer.Report.Text(&out, 0); err != nil {
					t.Fatal(err)
				}
			}
			if notices.Len() > 0 {
				t.Error(notices.String())
			}
			a.compare(t, file, out.String())
		})
	}
}
