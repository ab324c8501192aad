package dap

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"misstep/internal/gobuild"
	"misstep/internal/proc"
)

func TestSmoke(t *testing.T) {
	k, err := proc.NewKeeper()
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	c := &gobuild.Cache{Dir: os.Getenv("HOME") + "/.cache/misstep", Keeper: k, Notice: os.Stderr}
	ctx := context.Background()
	name := os.Getenv("ENGINE")
	if name == "" {
		name = "dlv"
	}
	e, err := gobuild.ParseEngine(name)
	if err != nil {
		t.Fatal(err)
	}
	a, err := Resolve(ctx, c, e)
	if err != nil {
		t.Fatal(err)
	}
	p := &gobuild.Program{Name: "p1", Dir: "/tmp/w/p1", Target: []string{"."}, Files: []string{"/tmp/w/p1/main.go"}}
	b, err := c.Build(ctx, p, e, k.Dir())
	if err != nil {
		t.Fatal(err)
	}
	plain, err := c.Fit(ctx, b, gobuild.DefaultLimits)
	fmt.Println(plain, err)
	for range 3 {
		t0 := time.Now()
		s, out, err := Open(ctx, k, a, TargetOf(b), DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println("open", out, time.Since(t0))
		for _, act := range []Action{{Kind: Break, File: "main.go", Line: 13}, {Kind: FuncBreak, Name: "main.f"}, {Kind: Break, File: "main.go", Line: 9}, {Kind: Break, File: "main.go", Line: 12, Log: "n is {n}"}, {Kind: Continue}, {Kind: Next}, {Kind: StepOut}, {Kind: Next}, {Kind: Continue}, {Kind: Evaluate, Name: "t.A + 1"}, {Kind: SetVar, Name: "n", Value: "2"}, {Kind: Threads}, {Kind: Restart}, {Kind: Continue}, {Kind: Finish}} {
			t1 := time.Now()
			out, err := s.Do(ctx, act)
			fmt.Println(act, "->", out, out.Logs, err, time.Since(t1))
			if out.Pause != nil && os.Getenv("V") != "" {
				b, _ := json.MarshalIndent(out.Pause, "", " ")
				fmt.Println(string(b))
			}
		}
		t2 := time.Now()
		s.Close()
		fmt.Println("close", time.Since(t2), "all", time.Since(t0))
	}
}
