package omission_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"misstep/history"
	"misstep/internal/gobuild"
	"misstep/internal/testhouse"
	"misstep/omission"
)

var update = flag.Bool("update", false, "write what is found into the test data")

// record records a program with its objects, and finds omissions in the run.
func record(t testing.TB, h *testhouse.House, p *gobuild.Program, deps ...string) (*omission.Finder, *history.Recording, *history.Reader) {
	t.Helper()
	ctx := context.Background()
	r := &history.Recorder{Keeper: h.Keeper, Cache: h.Cache}
	rec, err := r.Build(ctx, p, h.Engine, t.TempDir(), history.BuildOptions{Objects: true, Deps: deps})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := r.Run(ctx, rec, history.Options{}, &file); err != nil {
		t.Fatal(err)
	}
	reader, err := history.NewReader(bytes.NewReader(file.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	f, err := omission.New(reader, rec, omission.ByType{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Check(); err != nil {
		t.Error(err)
	}
	return f, rec, reader
}

// TestFind runs the programs in testdata, one for each kind of branch or operation. The
// file object names the subject, with options behind it; the file want is what is found.
func TestFind(t *testing.T) {
	h := testhouse.New(t)
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no test data", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			var object []string
			want := -1
			for i, f := range a.Files {
				switch f.Name {
				case "object":
					object = strings.Split(strings.TrimSpace(string(f.Data)), "\n")
				case "want":
					want = i
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
			if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example\n\ngo 1.24\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			p := h.Find(t, dir)
			if len(p) != 1 || len(object) == 0 || want < 0 {
				t.Fatalf("%d programs, %d objects", len(p), len(object))
			}
			f, rec, _ := record(t, h, p[0])
			var out bytes.Buffer
			for _, line := range object {
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
					v := &omission.Verifier{Recorder: &history.Recorder{Keeper: h.Keeper, Cache: h.Cache}, Engine: h.Engine, Runs: 50, Time: 1 << 40}
					var sum *omission.Verification
					if list, sum, err = v.Verify(context.Background(), f, rec, list, t.TempDir()); err != nil {
						t.Fatal(err)
					}
					if !sum.Deterministic || sum.Left > 0 {
						t.Errorf("%+v", *sum)
					}
				}
				if err := omission.NewReport(s, list, nil).Text(&out, 0); err != nil {
					t.Fatal(err)
				}
			}
			if *update {
				a.Files[want].Data = out.Bytes()
				if err := os.WriteFile(file, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got := out.String(); got != string(a.Files[want].Data) {
				t.Errorf("%s\ngot\n%swant\n%s", a.Comment, got, a.Files[want].Data)
			}
		})
	}
}

// TestGraphs: what each activation of a program executed is a way through the graph of
// its function.
func TestGraphs(t *testing.T) {
	h := testhouse.New(t)
	steps := 0
	for _, p := range h.Find(t, "corpus") {
		ctx := context.Background()
		r := &history.Recorder{Keeper: h.Keeper, Cache: h.Cache}
		rec, err := r.Build(ctx, p, h.Engine, t.TempDir(), history.BuildOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if _, err := r.Run(ctx, rec, history.Options{}, &file); err != nil {
			t.Fatal(err)
		}
		reader, err := history.NewReader(bytes.NewReader(file.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		f, err := omission.New(reader, rec, omission.ByType{})
		if err != nil {
			t.Fatal(err)
		}
		n, err := f.Check()
		if err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
		steps += n
	}
	if steps < 10000 {
		t.Errorf("%d steps only", steps)
	}
	t.Logf("%d steps", steps)
}
