package history_test

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
	"misstep/history/record"
	"misstep/internal/testhouse"
)

var update = flag.Bool("update", false, "write the golden histories")

// TestConstructs: the history of each construct of Go is as it was when somebody read it.
func TestConstructs(t *testing.T) {
	h := testhouse.New(t)
	files, err := filepath.Glob("testdata/constructs/*.txtar")
	if err != nil || len(files) < 20 {
		t.Fatal(len(files), err)
	}
	for _, file := range testhouse.Part(files, 8) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var program, golden txtar.Archive
			for _, f := range ar.Files {
				if f.Name == "history" {
					golden.Files = append(golden.Files, f)
				} else {
					program.Files = append(program.Files, f)
				}
			}
			p, err := h.Finder().Unpack(context.Background(), "p", &program)
			if err != nil {
				t.Fatal(err)
			}
			_, _, text, _ := recordRun(t, h, p, record.BuildOptions{})
			r, _ := read(t, text)
			var shown bytes.Buffer
			if err := history.Show(&shown, r, history.Filter{}); err != nil {
				t.Fatal(err)
			}
			if *update {
				out := &txtar.Archive{Comment: ar.Comment, Files: append(program.Files, txtar.File{Name: "history", Data: shown.Bytes()})}
				if err := os.WriteFile(file, txtar.Format(out), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if len(golden.Files) == 0 || !bytes.Equal(golden.Files[0].Data, shown.Bytes()) {
				t.Errorf("%s\nwant\n%s", shown.Bytes(), txtar.Format(&golden))
			}
		})
	}
}
