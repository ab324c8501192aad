package profiler

import (
	"strings"
	"testing"

	"misstep/internal/gobuild"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"cover": "cover", "go1.26.8": "cover@go1.26.8", "cover@go1.20.14,mode=atomic": "cover@go1.20.14,mode=atomic",
		"cover,race,trimpath,via=test,coverpkg=./...+fmt": "cover,via=test,coverpkg=./...+fmt,race,trimpath",
	} {
		p, err := Parse(text)
		if err != nil || p.String() != want {
			t.Errorf("%s: %s, %v", text, p, err)
		}
		if again, err := Parse(p.String()); err != nil || again != p {
			t.Errorf("%s is not read back: %+v, %v", p, again, err)
		}
	}
	for text, want := range map[string]string{
		"": "expected cover, a toolchain, or both", "dlv": "expected cover", "1.26": "expected cover",
		"cover,mode=x": "expected one of set, count, atomic", "cover,via=x": "expected one of build, test, all", "cover,race=1": "race takes no value", "cover,x": "unknown option \"x\"",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestParseProfile(t *testing.T) {
	text := "mode: set\nexample.test/a b:c.go:3.13,5.2 2 7\np/q.go:1.1,1.1 0 0\n"
	p, err := ParseProfile(text)
	if err != nil || p.Mode != "set" || len(p.Blocks) != 2 || p.Blocks[0].File != "example.test/a b:c.go" || p.Blocks[0].Count != 7 {
		t.Fatalf("%+v, %v", p, err)
	}
	if got := "mode: set\n" + p.Blocks[0].String() + "\n" + p.Blocks[1].String() + "\n"; got != text {
		t.Errorf("written again: %s", got)
	}
	b := p.Blocks[0]
	for _, at := range []struct {
		line, column int
		in           bool
	}{{3, 12, false}, {3, 13, true}, {4, 1, true}, {5, 1, true}, {5, 2, false}, {6, 1, false}} {
		if b.Contains(at.line, at.column) != at.in {
			t.Errorf("%d.%d in %s: want %t", at.line, at.column, b.At(), at.in)
		}
	}
	for text, want := range map[string]string{
		"": "it is empty", "x\n": "line 1: expected mode", "mode: set\n0\n": "line 2: expected FILE", "mode: set\np.go:1.1,2.2 1 99999999999999999999\n": "line 2: ",
	} {
		if _, err := ParseProfile(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// FuzzParseProfile: what is read is written as it was read.
func FuzzParseProfile(f *testing.F) {
	f.Add("mode: set\np/q.go:1.1,1.1 0 0\n")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParseProfile(text)
		if err != nil {
			return
		}
		lines := []string{"mode: " + p.Mode}
		for _, b := range p.Blocks {
			lines = append(lines, b.String())
		}
		again, err := ParseProfile(strings.Join(lines, "\n"))
		if err != nil || len(again.Blocks) != len(p.Blocks) {
			t.Errorf("%q: %v", text, err)
		}
	})
}

// TestOfTest: what the program printed is told from what its test does.
func TestOfTest(t *testing.T) {
	for text, want := range map[string][2]string{
		"a\nPASS\ncoverage: 66.7% of statements\n": {"a\n", "66.7%"},
		"PASS\n":                            {"", ""},
		"PASS\ncoverage: [no statements]\n": {"", "[no statements]"},
		"a\nPASS\n\texample.com/p\tcoverage: 50.0% of statements\n":     {"a\n", "50.0%"},
		"PASS\ncoverage: 3.1% of statements in ./...\n":                 {"", "3.1%"},
		"--- FAIL: TestX (0.31s)\nFAIL\ncoverage: 0.0% of statements\n": {"--- FAIL: TestX (0.00s)\n", "0.0%"},
		"a PASS\nb": {"a PASS\nb", ""},
	} {
		if rest, share, shares := ofTest(text); rest != want[0] || share != want[1] || shares != nil {
			t.Errorf("%q: %q, %q, %v", text, rest, share, shares)
		}
	}
	rest, share, shares := ofTest("a\nPASS\n\tp\tcoverage: 97.5% of statements in ., q\n\tq\tcoverage: 11.8% of statements in ., q\n")
	if rest != "a\n" || share != "" || len(shares) != 2 || shares["p"] != "97.5%" || shares["q"] != "11.8%" {
		t.Errorf("%q, %q, %v", rest, share, shares)
	}
}

func TestPackages(t *testing.T) {
	results, shares := packages("ok  \tp/a\t0.002s\tcoverage: 66.7% of statements\n\tp/b\t\tcoverage: 0.0% of statements\n?   \tp/c\t[no test files]\n--- FAIL: TestX (0.10s)\nFAIL\tp/d\t0.1s\nok  \tp/e\t(cached)\tcoverage: [no statements]\n")
	if want := "ok  \tp/a\n--- FAIL: TestX\nFAIL\tp/d\nok  \tp/e\n"; results != want {
		t.Errorf("%q", results)
	}
	if shares["p/a"] != "66.7%" || shares["p/b"] != "0.0%" || shares["p/e"] != "[no statements]" || len(shares) != 3 {
		t.Errorf("%v", shares)
	}
}

func TestSubject(t *testing.T) {
	s := &Subject{Package: "./cmd/x", Files: []gobuild.File{{Name: "go.mod", Data: []byte("module example.test/m\n\ngo 1.26.1\n\ntoolchain go1.26.4\n")}, {Name: "cmd/x/main.go", Data: []byte("package main\n")}, {Name: "a.go", Data: []byte("package m\n")}}}
	for file, want := range map[string]string{"example.test/m/a.go": "a.go", "example.test/m/cmd/x/main.go": "cmd/x/main.go", "example.test/m/b.go": "", "_/tmp/src/a.go": "a.go", "fmt/print.go": ""} {
		if got := s.FileOf(file); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
	if got := string(Lower(s.File("go.mod"), 20)); !strings.Contains(got, "go 1.20\n") || strings.Contains(got, "toolchain") {
		t.Errorf("%s", got)
	}
	if s.PackageName() != "main" || s.Module() != "example.test/m" {
		t.Errorf("%s of %s", s.PackageName(), s.Module())
	}
	if _, _, err := (&Subject{Files: []gobuild.File{{Name: "../x.go"}}}).unpack(t.TempDir(), &Toolchain{Minor: 26}, ByBuild); err == nil {
		t.Error("a file outside of the folder is written")
	}
}
