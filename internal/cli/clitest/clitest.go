// Package clitest runs scripts that use the misstep command, of github.com/rogpeppe/go-internal/testscript. The
// scripts of package cli lie in two folders, each with go test's ten minutes to itself.
package clitest

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"misstep/internal/cli"
	"misstep/internal/gobuild"
	"misstep/internal/testhouse"
)

// Main is what TestMain does: the test's binary is the misstep command, too.
func Main(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"misstep": func() { os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr)) },
	})
}

// Scripts runs those in the folder testdata.
func Scripts(t *testing.T) {
	t.Helper()
	cache, err := gobuild.CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	goEnv := func(name string) string {
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	env := []string{"MISSTEP_CACHE=" + cache, "TOOLCHAIN=" + goEnv("GOVERSION"), "DELVE=" + gobuild.PinnedDelve}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOFLAGS", "GOSUMDB"} {
		env = append(env, name+"="+goEnv(name))
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars, env...)
			return nil
		},
		// Scripts that try more of what others try begin with [!all] skip.
		Condition: func(name string) (bool, error) {
			if name != "all" {
				return false, fmt.Errorf("unknown condition %q; expected all", name)
			}
			return testhouse.All(), nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			// truncate cuts a file to a half.
			"truncate": func(ts *testscript.TestScript, neg bool, args []string) {
				for _, name := range args {
					text := ts.ReadFile(name)
					ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text[:len(text)/2]), 0o666))
				}
			},
			"exits": func(ts *testscript.TestScript, neg bool, args []string) {
				if len(args) < 2 {
					ts.Fatalf("usage: exits CODE COMMAND…")
				}
				err := ts.Exec(args[1], args[2:]...)
				code := "0"
				if err != nil {
					code = strings.TrimPrefix(err.Error(), "exit status ")
				}
				if code != args[0] {
					ts.Fatalf("exit code %s, want %s", code, args[0])
				}
			},
		},
	})
}
