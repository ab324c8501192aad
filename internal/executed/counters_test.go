package executed_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/tools/cover"

	"misstep/internal/executed"
)

const counted = `package main

import "os"

func main() {
	if len(os.Args) > 1 {
		println("one")
		twice()
	}
}

func twice() {
	println("two")
	println("three")
}

func never() {
	println("four")
}
`

// TestBlocks: as many blocks are executed as go tool covdata says, and more when more is executed.
func TestBlocks(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.test/c\n\ngo 1.22\n", "main.go": counted} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run := func(env string, name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), env)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", cmd, err, out)
		}
	}
	run("GOFLAGS=", "go", "build", "-cover", "-covermode=count", "-o", "program", ".")
	before := map[executed.Block]bool{}
	for i, args := range [][]string{nil, {"more"}} {
		raw := filepath.Join(dir, []string{"none", "more"}[i])
		if err := os.Mkdir(raw, 0o777); err != nil {
			t.Fatal(err)
		}
		run("GOCOVERDIR="+raw, "./program", args...)
		blocks, err := executed.Blocks(raw)
		if err != nil {
			t.Fatal(err)
		}
		run("GOFLAGS=", "go", "tool", "covdata", "textfmt", "-i="+raw, "-o=profile")
		profiles, err := cover.ParseProfiles(filepath.Join(dir, "profile"))
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		for _, p := range profiles {
			for _, b := range p.Blocks {
				if b.Count > 0 {
					want++
				}
			}
		}
		got, more := 0, false
		for b, ran := range blocks {
			if ran {
				got++
			}
			more = more || ran && !before[b]
		}
		if got != want || want == 0 || !more {
			t.Errorf("%v: %d blocks were executed, go tool covdata says %d; others than before: %t", args, got, want, more)
		}
		for b, ran := range before {
			if ran && !blocks[b] {
				t.Errorf("%v: %v is missing", args, b)
			}
		}
		before = blocks
	}
	if none, err := executed.Blocks(t.TempDir()); err != nil || len(none) != 0 {
		t.Errorf("of an empty folder: %v, %v", none, err)
	}
}

// FuzzBlocks: broken files are errors.
func FuzzBlocks(f *testing.F) {
	f.Add([]byte("\x00cwm"))
	head := make([]byte, 48)
	copy(head, "\x00cwm")
	head[24], head[32] = 2, 1
	f.Add(append(head, 2, 0, 0, 1, 0))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "covcounters.a.1.2"), data, 0o666); err != nil {
			t.Fatal(err)
		}
		blocks, err := executed.Blocks(dir)
		if err == nil && len(blocks) > len(data) {
			t.Errorf("%d blocks of %d bytes", len(blocks), len(data))
		}
	})
}
