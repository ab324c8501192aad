package mutation_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"misstep/internal/proc"
	"misstep/mutation"
)

// program has a place for each operator, and places that none must be applied to.
const program = `package main

import (
	"fmt"
	"log"
	"math"
)

type level int

const low level = 1

func less(a, b int) bool { return a < b }

func sum(a, b float64) (res float64) {
	res = a + b
	return
}

func odd(x float64) bool { return x > 1 || x >= 1 }

func both(a, b bool) string {
	if a && b {
		return "both"
	}
	return "not"
}

func pick(byte string, l level) (string, bool) {
	defer log.SetFlags(0)
	if l >= low {
		return byte, true
	}
	return "", false
}

func zero(int int) level { return level(int) }

func count(n int) (total int) {
	for i := 0; i < n; i++ {
		if i == 2 {
			continue
		}
		total += i
	}
	return total + 1
}

func main() {
	log.Print("nothing of this is changed")
	x, y := 1, 2
	fmt.Println(less(x, y), less(2, 1), sum(1, 2), both(true, x > 1))
	s, ok := pick("p", low)
	fmt.Println(s, ok, zero(3), count(4), 1<<2, [2]int{}, fmt.Sprint(x))
	if nan := math.NaN(); odd(nan) {
		fmt.Println("is a number")
	}
}
`

// TestMutants: each mutant changes what the program prints as its operator says, and without one it
// prints what it did.
func TestMutants(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module m\n\ngo 1.24.0\n")
	write(t, filepath.Join(dir, "main.go"), program)
	pkgs, err := mutation.Load(t.Context(), dir, nil, ".")
	if err != nil {
		t.Fatal(err)
	}
	files, mutants, err := mutation.Change(pkgs...)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		write(t, name, string(text))
	}
	binary := filepath.Join(dir, "m")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, files[filepath.Join(dir, "main.go")])
	}
	const healthy = "true false 3 not p true 3 5 4 [0 0] 1"
	got, constants := map[string]string{}, 0
	for id := 0; id <= len(mutants); id++ {
		cmd := exec.Command(binary)
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", mutation.On, id))
		var out strings.Builder
		cmd.Stdout = &out
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		stop := context.AfterFunc(ctx, func() { cmd.Process.Kill() })
		if err := cmd.Wait(); err != nil {
			out.WriteString(" " + err.Error())
		}
		stop()
		text := strings.TrimSpace(strings.ReplaceAll(out.String(), "\n", " "))
		if id == 0 {
			if text != healthy {
				t.Fatalf("without a mutant: %s", text)
			}
			continue
		}
		m := mutants[id-1]
		if m.ID != id || m.Package != "main" {
			t.Errorf("mutant %d: %+v", id, m)
		}
		key := fmt.Sprintf("%s: %s: %s", m.Func, m.Operator, m.Code)
		if m.Func == "main" && m.Operator == "constant" {
			key = fmt.Sprintf("constant %d of main", constants)
			constants++
		}
		got[key] = text
	}
	want := map[string]string{
		"odd: returns at once: odd":                             healthy,
		"odd: and ↔ or: x > 1 || x >= 1":                        healthy,
		"odd: condition negated: x > 1":                         healthy + " is a number",
		"odd: boundary: x > 1":                                  healthy,
		"odd: condition negated: x >= 1":                        healthy + " is a number",
		"odd: boundary: x >= 1":                                 healthy,
		"main: condition negated: odd(nan)":                     healthy + " is a number",
		"main: statement deleted: fmt.Println(\"is a number\")": healthy,
		// x and y, what less and x are compared with, and what else calls are given.
		"constant 0 of main":                             "false false 3 both p true 3 5 4 [0 0] 2",
		"constant 1 of main":                             healthy,
		"constant 2 of main":                             healthy,
		"constant 3 of main":                             healthy,
		"constant 4 of main":                             healthy,
		"constant 5 of main":                             healthy,
		"constant 6 of main":                             "true false 3 not p true 4 5 4 [0 0] 1",
		"constant 7 of main":                             "true false 3 not p true 3 9 4 [0 0] 1",
		"less: returns at once: less":                    "false false 3 not p true 3 5 4 [0 0] 1",
		"less: boundary: a < b":                          healthy,
		"less: condition negated: a < b":                 "false true 3 not p true 3 5 4 [0 0] 1",
		"sum: returns at once: sum":                      "true false 0 not p true 3 5 4 [0 0] 1",
		"sum: statement deleted: res = a + b":            "true false 0 not p true 3 5 4 [0 0] 1",
		"sum: sign: a + b":                               "true false -1 not p true 3 5 4 [0 0] 1",
		"both: returns at once: both":                    "true false 3  p true 3 5 4 [0 0] 1",
		"both: and ↔ or: a && b":                         "true false 3 both p true 3 5 4 [0 0] 1",
		"pick: returns at once: pick":                    "true false 3 not  false 3 5 4 [0 0] 1",
		"pick: condition negated: l >= low":              "true false 3 not  false 3 5 4 [0 0] 1",
		"pick: boundary: l >= low":                       "true false 3 not  false 3 5 4 [0 0] 1",
		"pick: constant: true":                           "true false 3 not p false 3 5 4 [0 0] 1",
		"pick: constant: false":                          healthy,
		"zero: returns at once: zero":                    "true false 3 not p true 0 5 4 [0 0] 1",
		"count: returns at once: count":                  "true false 3 not p true 3 0 4 [0 0] 1",
		"count: condition negated: i < n":                "true false 3 not p true 3 1 4 [0 0] 1",
		"count: boundary: i < n":                         "true false 3 not p true 3 9 4 [0 0] 1",
		"count: constant: 0":                             healthy,
		"count: condition negated: i == 2":               "true false 3 not p true 3 3 4 [0 0] 1",
		"count: constant: 2":                             "true false 3 not p true 3 4 4 [0 0] 1",
		"count: statement deleted: continue":             "true false 3 not p true 3 7 4 [0 0] 1",
		"count: statement deleted: total += i":           "true false 3 not p true 3 1 4 [0 0] 1",
		"count: sign: total + 1":                         "true false 3 not p true 3 3 4 [0 0] 1",
		"count: constant: 1":                             "true false 3 not p true 3 6 4 [0 0] 1",
		"pick: constant: 0":                              healthy,
		"pick: statement deleted: defer log.SetFlags(0)": healthy,
		"main: operands swapped: less(x, y)":             "false false 3 not p true 3 5 4 [0 0] 1",
		"main: condition negated: x > 1":                 "true false 3 both p true 3 5 4 [0 0] 1",
		"main: boundary: x > 1":                          "true false 3 both p true 3 5 4 [0 0] 1",
		"main: statement deleted: fmt.Println(less(x, y), less(2, 1), sum(1, 2), both(true, x > 1))":    "p true 3 5 4 [0 0] 1",
		"main: statement deleted: fmt.Println(s, ok, zero(3), count(4), 1<<2, [2]int{}, fmt.Sprint(x))": "true false 3 not",
	}
	for key, out := range want {
		if got[key] != out {
			t.Errorf("%s: %q, want %q", key, got[key], out)
		}
		delete(got, key)
	}
	for key, out := range got {
		t.Errorf("not expected: %s: %s", key, out)
	}
}

// TestTrial: of a command that fails for one mutant only, that is killed; one that hangs has
// timed out; the others survive, and one of the list is not run.
func TestTrial(t *testing.T) {
	keeper, err := proc.NewKeeper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { keeper.Close() })
	logs := t.TempDir()
	script := `test -d {tmp} || exit 9; test -z "$` + mutation.Seen + `" || { echo 1; echo 3; } >"$` + mutation.Seen + `"; echo it is {id}, {word}; test {id} != 1 || exit 4; test {id} != 2 || sleep 60`
	trial := &mutation.Trial{
		Keeper: keeper, Command: []string{"sh", "-c", script}, Words: map[string]string{"{word}": "text"},
		Limit: 3 * time.Second, Logs: logs, Same: map[string]bool{"m/m.go f | op | four": true}, Workers: 2,
	}
	reached, _, err := trial.Healthy(t.Context())
	if err != nil || len(reached) != 2 || !reached[1] || !reached[3] {
		t.Fatal(reached, err)
	}
	var mutants []*mutation.Mutant
	for id, code := range []string{"", "one", "two", "three", "four"} {
		if id > 0 {
			mutants = append(mutants, &mutation.Mutant{ID: id, File: "m/m.go", Func: "f", Operator: "op", Code: code})
		}
	}
	got := map[string]mutation.Outcome{}
	if err := trial.Run(t.Context(), mutants, func(r *mutation.Result) { got[r.Code] = r.Outcome }); err != nil {
		t.Fatal(err)
	}
	for code, want := range map[string]mutation.Outcome{"one": mutation.Killed, "two": mutation.TimedOut, "three": mutation.Survived, "four": mutation.Equivalent} {
		if got[code] != want {
			t.Errorf("%s: %s, want %s", code, got[code], want)
		}
	}
	if text, err := os.ReadFile(filepath.Join(logs, "3.txt")); err != nil || string(text) != "it is 3, text\n" {
		t.Errorf("%q %v", text, err)
	}
	trial.Command = []string{"sh", "-c", "echo no; exit 1"}
	var failed *mutation.FailedError
	if _, _, err := trial.Healthy(t.Context()); !errors.As(err, &failed) || failed.Says != "no" {
		t.Errorf("a command that fails by itself: %v", err)
	}
}

// TestEquivalents: what a list of equivalent mutants must be.
func TestEquivalents(t *testing.T) {
	file := filepath.Join(t.TempDir(), "list")
	write(t, file, "# nothing\n\nm/m.go most | boundary | a > b | both are the same then\n")
	same, err := mutation.Equivalents(file)
	if err != nil || !same["m/m.go most | boundary | a > b"] || len(same) != 1 {
		t.Error(same, err)
	}
	write(t, file, "m/m.go most | boundary\n")
	if _, err := mutation.Equivalents(file); err == nil || !strings.Contains(err.Error(), "list:1: want") {
		t.Error(err)
	}
	if same, err := mutation.Equivalents(file + "none"); err != nil || same != nil {
		t.Error(same, err)
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
