package history_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"misstep/history"
)

// small is a short history of a plan with one function and one site.
func small(t testing.TB) []byte {
	t.Helper()
	plan := &history.Plan{
		Program: "p", Files: []history.File{{Name: "a.go", Path: "/a.go", Text: "package a"}},
		Funcs: []history.Func{{Name: "main.f", End: 5, Line: 1, EndLine: 3}},
		Sites: []history.Site{{Kind: history.Then, Line: 2}, {Kind: history.Nested, Line: 2}, {Kind: history.Alloc, Line: 2, Type: "T"}},
	}
	var file bytes.Buffer
	w, err := history.NewWriter(&file, plan)
	if err != nil {
		t.Fatal(err)
	}
	const stamp, unwind, owner = history.WordStamp, history.WordUnwind, history.WordOwner
	const nested, unnest, farObject, farMade, leaf = history.WordNested, history.WordUnnest, history.WordFarObject, history.WordFarMade, history.WordLeaf
	for i := range uint32(3) {
		err := w.Chunk(history.Chunk{
			Goroutine: 1, Buffer: 1, Number: i, Stamp: uint64(i + 1),
			Words: []uint32{
				stamp, i + 1, 0, 1 << 3, 3, 1, 3, 1, nested, 1, 2, unnest, 1, 2, unwind, 2, 1, 7, 2, 4, 1, owner, 7, 0, 1, 2,
				2<<3 | 6, 16, 64, 2<<3 | 7, 65, farMade, 2, 16, 0, 64, farObject, 2, 1, 64, leaf,
			},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(history.End{ExitCode: 0}); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// use does all that can be done with a history.
func use(file []byte) error {
	r, err := history.NewReader(bytes.NewReader(file))
	if err != nil {
		return err
	}
	for _, err := range r.Events() {
		if err != nil {
			return err
		}
	}
	if _, err := r.Tree(); err != nil {
		return err
	}
	for _, f := range []history.Filter{{}, {Instance: "<T:1>"}} {
		if err := history.Show(io.Discard, r, f); err != nil {
			return err
		}
	}
	if err := history.Chrome(io.Discard, r); err != nil {
		return err
	}
	return r.Err
}

// TestPrefixes: every prefix of a history is said to be cut short, or to be none.
func TestPrefixes(t *testing.T) {
	file := small(t)
	if err := use(file); err != nil {
		t.Fatal(err)
	}
	for n := range len(file) {
		err := use(file[:n])
		var format *history.FormatError
		if !errors.Is(err, history.ErrTruncated) && !errors.As(err, &format) {
			t.Errorf("the first %d of %d bytes: %v", n, len(file), err)
		}
	}
}

// TestFlips: whichever bit of a history is another, that is an error.
func TestFlips(t *testing.T) {
	file := small(t)
	for i := range file {
		for bit := range 8 {
			damaged := bytes.Clone(file)
			damaged[i] ^= 1 << bit
			if err := use(damaged); err == nil {
				t.Errorf("bit %d of byte %d flipped: no error", bit, i)
			}
		}
	}
}

func FuzzReader(f *testing.F) {
	file := small(f)
	f.Add(file)
	f.Add(file[:len(file)-7])
	f.Fuzz(func(_ *testing.T, data []byte) {
		use(data) // must neither panic nor hang
	})
}
