package converted_test

import (
	"strings"
	"testing"

	"misstep/profiler/converted"
)

const cobertura = `<?xml version="1.0"?>
<!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">
<coverage line-rate="0.5" branch-rate="0" lines-covered="1" lines-valid="2" branches-covered="0" branches-valid="0" complexity="0" version="" timestamp="1">
<sources><source>/src</source></sources>
<packages><package name="p" line-rate="0.5" branch-rate="0" complexity="0"><classes>
<class name="-" filename="main.go" line-rate="0.5" branch-rate="0" complexity="0">
<methods><method name="main" signature="" line-rate="1" branch-rate="0"><lines><line number="3" hits="7"/></lines></method></methods>
<lines><line number="3" hits="7"/><line number="4" hits="0"/></lines>
</class></classes></package></packages></coverage>`

// TestReports: what is read of each format.
func TestReports(t *testing.T) {
	r, err := converted.Parse(converted.LCOV, "TN:\nSF:p/main.go\nFN:3,main\nFN:9,12,T.a,b\nFNDA:2,main\nFNF:2\nFNH:1\nBRDA:4,0,0,-\nBRDA:4,0,1,3\nBRF:2\nBRH:1\nLF:2\nLH:1\nDA:3,7\nDA:4,0,sum\nend_of_record\n")
	if err != nil {
		t.Fatal(err)
	}
	f := r.Files[0]
	if len(r.Files) != 1 || f.Name != "p/main.go" || len(f.Lines) != 2 || f.Lines[0] != (converted.Line{Number: 3, Hits: 7}) || len(r.Sums) != 6 || len(r.Faults()) != 0 {
		t.Errorf("%+v", r)
	}
	if len(f.Functions) != 2 || f.Functions[0] != (converted.Function{Name: "main", Line: 3, Count: 2, HasCount: true}) || f.Functions[1].Name != "T.a,b" {
		t.Errorf("%+v", f.Functions)
	}
	if r, err = converted.Parse(converted.LCOV, "SF:a\nFNL:0,3,9\nFNA:0,2,f\nFNA:0,0,g\nFNF:2\nFNH:1\nend_of_record\n"); err != nil {
		t.Fatal(err)
	}
	if fns := r.Files[0].Functions; len(fns) != 2 || fns[0] != (converted.Function{Name: "f", Line: 3, Count: 2, HasCount: true}) || fns[1].Name != "g" || len(r.Faults()) != 0 {
		t.Errorf("%+v", r)
	}
	if r, err = converted.Parse(converted.Cobertura, cobertura); err != nil {
		t.Fatal(err)
	}
	f = r.Files[0]
	if len(r.Files) != 1 || f.Name != "main.go" || len(f.Lines) != 2 || f.Lines[0] != (converted.Line{Number: 3, Hits: 7}) || len(r.Faults()) != 0 || r.Sources[0] != "/src" {
		t.Errorf("%+v", r)
	}
	if len(f.Functions) != 1 || f.Functions[0].Name != "main" || f.Functions[0].Line != 3 {
		t.Errorf("%+v", f.Functions)
	}
}

// TestSums: what a report says of its parts is held against them.
func TestSums(t *testing.T) {
	section := "SF:a\nFN:1,f\nFNDA:1,f\nBRDA:1,0,0,1\nDA:1,1\nDA:2,0\n"
	for _, c := range []struct{ format, text, want string }{
		{converted.LCOV, section + "LF:3\n", "LF of a is 2, not 3"},
		{converted.LCOV, section + "LH:2\n", "LH of a is 1, not 2"},
		{converted.LCOV, section + "FNF:0\n", "FNF of a is 1, not 0"},
		{converted.LCOV, section + "FNH:0\n", "FNH of a is 1, not 0"},
		{converted.LCOV, section + "BRF:2\n", "BRF of a is 1, not 2"},
		{converted.LCOV, section + "BRH:0\n", "BRH of a is 1, not 0"},
		{converted.LCOV, section + "LF:x\n", "LF of a is 2, not x"},
		{converted.Cobertura, strings.Replace(cobertura, `lines-valid="2"`, `lines-valid="3"`, 1), "lines-valid of the report is 2, not 3"},
		{converted.Cobertura, strings.Replace(cobertura, `lines-covered="1"`, `lines-covered="2"`, 1), "lines-covered of the report is 1, not 2"},
		{converted.Cobertura, strings.Replace(cobertura, `<coverage line-rate="0.5"`, `<coverage line-rate="NaN"`, 1), "line-rate of the report is a number from 0 to 1, not NaN"},
		{converted.Cobertura, strings.Replace(cobertura, `"p" line-rate="0.5"`, `"p" line-rate="0.7"`, 1), "line-rate of p is 0.5000, not 0.7"},
		{converted.Cobertura, strings.Replace(cobertura, `"main" signature="" line-rate="1"`, `"main" signature="" line-rate="0"`, 1), "line-rate of main is 1.0000, not 0"},
		{converted.Cobertura, strings.Replace(cobertura, `"main.go" line-rate="0.5"`, `"main.go" line-rate="50"`, 1), "line-rate of - is a number from 0 to 1, not 50"},
	} {
		text := c.text
		if c.format == converted.LCOV {
			text += "end_of_record\n"
		}
		r, err := converted.Parse(c.format, text)
		if err != nil {
			t.Errorf("%s: %v", c.want, err)
			continue
		}
		faults := r.Faults()
		if len(faults) != 1 || faults[0].Of+" is "+faults[0].Is+", not "+faults[0].Says != c.want {
			t.Errorf("%+v; expected %s", faults, c.want)
		}
	}
}

// TestRefused: what is not of its format is refused, with the place and what the format demands.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ format, text, want string }{
		{"gcov", "", `format "gcov": expected one of lcov, cobertura`},
		{converted.LCOV, "DA:1,1\n", "line 1: expected SF:FILE"},
		{converted.LCOV, "SF:\n", "line 1: expected SF:FILE"},
		{converted.LCOV, "SF:a\nSF:b\n", "line 2: a section begins before"},
		{converted.LCOV, "SF:a\n", "line 1: expected end_of_record for a"},
		{converted.LCOV, "SF:a\nDA:0,1\n", "line 2: expected the number of a line"},
		{converted.LCOV, "SF:a\nDA:1\n", "line 2: expected DA:LINE,COUNT"},
		{converted.LCOV, "SF:a\nDA:1,-1\n", "line 2: expected a count"},
		{converted.LCOV, "SF:a\nFN:x\n", "line 2: expected FN:LINE,NAME"},
		{converted.LCOV, "SF:a\nFNDA:1,f\n", "line 2: no FN names function f before"},
		{converted.LCOV, "SF:a\nFNDA:f\n", "line 2: expected FNDA:COUNT,NAME"},
		{converted.LCOV, "SF:a\nFNL:0\n", "line 2: expected FNL:INDEX,LINE"},
		{converted.LCOV, "SF:a\nFNA:0,1,f\n", "line 2: no FNL has the index 0 before"},
		{converted.LCOV, "SF:a\nFNL:0,1\nFNA:0,f\n", "line 3: expected FNA:INDEX,COUNT,NAME"},
		{converted.LCOV, "SF:a\nBRDA:1,0,0\n", "line 2: expected BRDA:"},
		{converted.LCOV, "SF:a\nBRDA:1,0,0,x\n", "line 2: expected a count or -"},
		{converted.LCOV, "SF:a\nXY:1\n", "line 2: expected a record"},
		{converted.Cobertura, "", "expected XML"},
		{converted.Cobertura, "<coverage/>", "coverage: expected an attribute line-rate"},
		{converted.Cobertura, strings.Replace(cobertura, `complexity="0"><classes>`, "><classes>", 1), "package 1: expected an attribute complexity"},
		{converted.Cobertura, strings.Replace(cobertura, ` filename="main.go"`, "", 1), "package p: class 1: expected an attribute filename"},
		{converted.Cobertura, strings.Replace(cobertura, ` signature=""`, "", 1), "package p: class -: method 1: expected an attribute signature"},
		{converted.Cobertura, strings.Replace(cobertura, `hits="0"`, "", 1), "package p: class -: line 2: expected an attribute hits"},
		{converted.Cobertura, strings.Replace(cobertura, `hits="0"`, `hits="no"`, 1), "package p: class -: expected hits to be a count"},
		{converted.Cobertura, strings.Replace(cobertura, `number="4"`, `number="-4"`, 1), "package p: class -: expected the number of a line"},
	} {
		if _, err := converted.Parse(c.format, c.text); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v; expected %s", c.text, err, c.want)
		}
	}
}

// FuzzParse: nothing that a converter writes is more than an error.
func FuzzParse(f *testing.F) {
	f.Add(cobertura)
	f.Add("SF:a\nFN:1,f\nFNDA:1,f\nBRDA:1,0,0,1\nDA:1,1\nLF:1\nend_of_record\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, format := range converted.Formats {
			if r, err := converted.Parse(format, text); err == nil {
				r.Faults()
			}
		}
	})
}
