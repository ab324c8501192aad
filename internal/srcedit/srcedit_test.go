package srcedit_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"misstep/internal/srcedit"
)

// text has n lines, each with a word of its own.
func text(file string, n int) []byte {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "\t%s%d_ = 1\n", file, i)
	}
	return []byte(b.String())
}

// find is the line that holds a word.
func find(files map[string][]byte, word string) (srcedit.Line, bool) {
	for name, text := range files {
		for i, line := range strings.Split(string(text), "\n") {
			if strings.Contains(line, word) {
				return srcedit.Line{File: name, Line: i + 1}, true
			}
		}
	}
	return srcedit.Line{}, false
}

// edit makes random edits at the boundaries of lines and words, and returns all
// files as they are then.
func edit(t *rapid.T, files map[string][]byte, label string) (map[string][]byte, *srcedit.Map) {
	e := srcedit.New(files)
	for _, name := range []string{"a", "b", "n1", "n2"} {
		old, ok := files[name]
		if !ok || old == nil {
			continue
		}
		at := 0
		for {
			rest := strings.IndexByte(string(old[at:]), '\n')
			if rest < 0 {
				break
			}
			end := at + rest
			switch rapid.IntRange(0, 12).Draw(t, label) {
			case 0:
				e.Insert(name, at, "\tnew\n")
			case 1:
				e.Insert(name, at, "new; ")
			case 2:
				e.Insert(name, end, " // new")
			case 3:
				e.Replace(name, at, end)
			case 4:
				e.Replace(name, end, end+1, srcedit.Text("; "))
			case 5:
				// Before the first word, or after the last.
				line := string(old[at:end])
				cut := len(line) - len(strings.TrimLeft(line, " \t"))
				if strings.HasSuffix(line, "_ = 1") && rapid.Bool().Draw(t, label) {
					cut = len(line) - len(" = 1")
				}
				e.Insert(name, at+cut, "\n")
			case 6:
				// Moved to a file of its own.
				e.Replace(name, at, end)
				e.Create("n"+label, srcedit.Text("new\n"), srcedit.Copy(name, at, end), srcedit.Text("\n"))
			}
			at = end + 1
		}
	}
	if rapid.IntRange(0, 3).Draw(t, label) == 0 {
		e.Rename("a", "r"+label)
	}
	changed, m, err := e.Apply()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for name, text := range files {
		out[name] = text
	}
	for name, text := range changed {
		out[name] = text
		if text == nil {
			delete(out, name)
		}
	}
	return out, m
}

// TestMap: a line is where its word is, after one and after two rounds of edits
// with composed maps; a line that stems from another has a word of it.
func TestMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := map[string][]byte{
			"a": text("a", rapid.IntRange(1, 6).Draw(t, "lines")),
			"b": text("b", rapid.IntRange(1, 6).Draw(t, "lines")),
		}
		once, m1 := edit(t, files, "1")
		twice, m2 := edit(t, once, "2")
		for _, c := range []struct {
			files map[string][]byte
			m     *srcedit.Map
		}{{once, m1}, {twice, m1.Then(m2)}} {
			for name, old := range files {
				for i := range strings.Count(string(old), "\n") {
					from := srcedit.Line{File: name, Line: i + 1}
					want, found := find(c.files, fmt.Sprintf("%s%d_", name, i+1))
					got, ok := c.m.Forward(from)
					if found && (!ok || got != want) {
						t.Fatalf("%v is at %v, the map says %v, %v\n%s", from, want, got, ok, c.files[want.File])
					}
				}
			}
			for name, now := range c.files {
				for i, line := range strings.Split(strings.TrimSuffix(string(now), "\n"), "\n") {
					from, ok := c.m.Back(srcedit.Line{File: name, Line: i + 1})
					word := strings.Contains(line, "_")
					if word && !ok {
						t.Fatalf("line %d of %s, %q, stems from nothing", i+1, name, line)
					}
					if ok && word && !strings.HasPrefix(line, " = 1") && !strings.Contains(line, fmt.Sprintf("%s%d_", from.File, from.Line)) {
						t.Fatalf("line %d of %s, %q, does not stem from %v", i+1, name, line, from)
					}
					if ok && strings.TrimSpace(line) == "new" {
						t.Fatalf("line %d of %s, %q, is new and stems from %v", i+1, name, line, from)
					}
				}
			}
		}
	})
}

// TestOverlap: edits that contradict each other are refused.
func TestOverlap(t *testing.T) {
	for _, ranges := range [][2][2]int{{{0, 5}, {3, 8}}, {{2, 4}, {1, 3}}, {{0, 3}, {5, 1000}}, {{4, 2}, {8, 9}}} {
		e := srcedit.New(map[string][]byte{"a": text("a", 3)})
		for _, r := range ranges {
			e.Replace("a", r[0], r[1], srcedit.Text("x"))
		}
		if _, _, err := e.Apply(); err == nil {
			t.Errorf("%v: no error", ranges)
		}
	}
}

// TestUntouched: what is not edited is not in the result, and all other bytes
// stay.
func TestUntouched(t *testing.T) {
	e := srcedit.New(map[string][]byte{"a": []byte("one\ntwo\n"), "b": []byte("three\n")})
	e.Insert("a", 4, "x\n")
	out, m, err := e.Apply()
	if err != nil {
		t.Fatal(err)
	}
	if got := string(out["a"]); got != "one\nx\ntwo\n" || len(out) != 1 {
		t.Errorf("%q of %d files", got, len(out))
	}
	if _, ok := m.Back(srcedit.Line{File: "a", Line: 2}); ok {
		t.Error("the new line stems from an old one")
	}
	if l, ok := m.Forward(srcedit.Line{File: "elsewhere", Line: 7}); !ok || l.Line != 7 {
		t.Error("a line of a file that the edits do not know has moved")
	}
}
