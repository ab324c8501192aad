package script_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"misstep/script"
)

const ending = `debug .
break main.go:6
continue
eval n 3
-- go.mod --
module m

go 1.26
-- main.go --
package main

func main() {
	x := 0
	for n := 3; n > 0; n-- {
		x += n
	}
}
`

// TestEnds: a script whose program does not end, where that of another with the same memo
// does, is not debugged until its time is up. One that ends is.
func TestEnds(t *testing.T) {
	env, err := script.NewEnv(os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { env.Close() })
	env, forget := env.Remembering()
	defer forget()
	check := func(text string) error {
		s, err := script.Parse([]byte(text), "ending.txtar")
		if err != nil {
			t.Fatal(err)
		}
		_, err = env.Check(context.Background(), s)
		return err
	}
	if err := check(ending); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	// It pauses, and is let run on then.
	endless := strings.Replace(strings.Replace(ending, "n--", "n++", 1), "eval n 3", "finish", 1)
	if err := check(endless); err == nil || !strings.Contains(err.Error(), "end") {
		t.Errorf("a program that does not end: %v after %s", err, time.Since(start))
	}
	if err := check(strings.ReplaceAll(ending, "3", "4")); err != nil {
		t.Error(err)
	}
}
