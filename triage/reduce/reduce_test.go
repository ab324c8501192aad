package reduce_test

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"misstep/script"
	"misstep/triage/reduce"
)

const finding = `# class: R2/x
# a reason
debug .
break main.go:25
continue
seen main.go:25 main.main
next
break main.go:18
continue
eval total
relate restart at=4
-- go.mod --
module m

go 1.26
-- other/other.go --
// Package other is not needed.
package other

func Twice(n int) int { return 2 * n }
-- main.go --
package main

import (
	"fmt"
	"strings"

	"m/other"
)

// unused does nothing.
func unused() string {
	return strings.ToUpper("unused")
}

func sum(xs []int) int {
	total := 0
	for i, x := range xs {
		if x > 0 {
			total += x * other.Twice(i)
		} else {
			total--
		}
	}
	return total
}

func main() {
	fmt.Println(sum([]int{1, 2, 3}), unused())
}
`

func parse(t *testing.T, text string) *script.Script {
	t.Helper()
	s, err := script.Parse([]byte(text), "finding.txtar")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// check is a debugger that does something wrong where a program adds in a loop, and a
// breakpoint is on that line.
func check(ran *int) reduce.Check {
	return func(_ context.Context, s *script.Script) ([]string, error) {
		*ran++
		ar := txtar.Parse(s.Format())
		var main []byte
		for _, f := range ar.Files {
			if f.Name == "main.go" {
				main = f.Data
			}
		}
		lines := strings.Split(string(main), "\n")
		for i, line := range lines {
			if strings.Contains(line, "total +=") && bytes.Contains(main, []byte("range")) &&
				bytes.Contains(ar.Comment, []byte("break main.go:"+strconv.Itoa(i+1)+"\n")) {
				return []string{"R2/other", "R2/x"}, nil
			}
		}
		return nil, nil
	}
}

func TestReduce(t *testing.T) {
	ran := 0
	// The breakpoint is on the line that adds.
	text := strings.ReplaceAll(finding, "main.go:18\n", "main.go:19\n")
	text = strings.ReplaceAll(text, "main.go:19", "main.go:"+strconv.Itoa(lineOf(text, "total +=")))
	r := &reduce.Reducer{Check: check(&ran), Workers: 1}
	res, err := r.Reduce(context.Background(), parse(t, text))
	if err != nil {
		t.Fatal(err)
	}
	got := string(res.Script.Format())
	if !res.Complete || res.Class != "R2/x" || res.Actions != [2]int{6, 1} {
		t.Errorf("%+v\n%s", res, got)
	}
	if res.Lines[1] > 9 {
		t.Errorf("%d lines are left\n%s", res.Lines[1], got)
	}
	for _, gone := range []string{"unused", "strings", "other", "continue", "eval", "else", "fmt"} {
		if strings.Contains(got, gone) {
			t.Errorf("%s is still there\n%s", gone, got)
		}
	}
	if !strings.Contains(got, "# a reason\n") || !strings.Contains(got, "relate restart") {
		t.Errorf("the reason or the judging line is gone\n%s", got)
	}
	// The result is one that the check believes, and cannot be reduced any further.
	if classes, _ := r.Check(context.Background(), res.Script); len(classes) == 0 {
		t.Errorf("the reduced finding does not show\n%s", got)
	}
	again, err := r.Reduce(context.Background(), res.Script)
	if err != nil || !bytes.Equal(again.Script.Format(), res.Script.Format()) {
		t.Errorf("reduced once more: %v\n%s", err, again.Script.Format())
	}
}

func lineOf(archive, part string) int {
	for _, f := range txtar.Parse([]byte(archive)).Files {
		for i, line := range strings.Split(string(f.Data), "\n") {
			if f.Name == "main.go" && strings.Contains(line, part) {
				return i + 1
			}
		}
	}
	return 0
}

func TestNotReproduced(t *testing.T) {
	r := &reduce.Reducer{Check: func(context.Context, *script.Script) ([]string, error) { return nil, nil }}
	if _, err := r.Reduce(context.Background(), parse(t, finding)); !errors.Is(err, reduce.ErrNotReproduced) {
		t.Error(err)
	}
}

// TestFlaky: what does not show each time is not believed, and the finding stays as it
// was given.
func TestFlaky(t *testing.T) {
	n := 0
	r := &reduce.Reducer{Workers: 1, Check: func(context.Context, *script.Script) ([]string, error) {
		if n++; n%3 != 0 {
			return []string{"R2/x"}, nil
		}
		return nil, nil
	}}
	res, err := r.Reduce(context.Background(), parse(t, finding))
	if err != nil {
		t.Fatal(err)
	}
	if res.Lines[0] != res.Lines[1] || res.Actions[0] != res.Actions[1] {
		t.Errorf("a result was believed that does not show each time: %+v", res)
	}
}

func TestBudget(t *testing.T) {
	r := &reduce.Reducer{Workers: 1, Budget: time.Nanosecond, Check: func(context.Context, *script.Script) ([]string, error) { return []string{"R2/x"}, nil }}
	res, err := r.Reduce(context.Background(), parse(t, finding))
	if err != nil || res.Complete || res.Lines[0] != res.Lines[1] {
		t.Errorf("%+v, %v", res, err)
	}
}

func FuzzReduce(f *testing.F) {
	f.Add([]byte(finding))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := script.Parse(text, "fuzz")
		if err != nil {
			return
		}
		r := &reduce.Reducer{Workers: 2, Budget: 100 * time.Millisecond, Check: func(context.Context, *script.Script) ([]string, error) {
			return []string{"x"}, nil
		}}
		_, _ = r.Reduce(context.Background(), s)
	})
}

// TestHangs: a candidate with which the debugger hangs takes no more than the time that
// there is.
func TestHangs(t *testing.T) {
	given := parse(t, finding)
	r := &reduce.Reducer{Workers: 2, Budget: 300 * time.Millisecond, Check: func(ctx context.Context, s *script.Script) ([]string, error) {
		if !bytes.Contains(s.Format(), []byte("eval total")) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return []string{"R2/x"}, nil
	}}
	start := time.Now()
	res, err := r.Reduce(context.Background(), given)
	if err != nil || res.Complete || !bytes.Contains(res.Script.Format(), []byte("eval total")) {
		t.Errorf("%+v, %v", res, err)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %s", took)
	}
}
