// Package hunts has no code, only tests of hunts as whole processes: killed, interrupted, repeated, and shared by a
// team. They take minutes, and have go test's ten to themselves here.
package hunts

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"misstep/campaign"
	"misstep/internal/testhouse"
)

// misstepBinary builds the command.
func misstepBinary(t *testing.T) string {
	bin := filepath.Join(t.TempDir(), "misstep")
	build := []string{"build", "-o", bin}
	if raceDetector {
		build = append(build, "-race")
	}
	if out, err := exec.Command("go", append(build, "misstep")...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return bin
}

// killedHunt is a small hunt that the tests below interrupt and repeat: by one oracle, as how hunts go on does not depend on which.
func killedHunt(bin, out string) *exec.Cmd {
	cmd := exec.Command(bin, "hunt", "--reduce", "0", "--runs", strconv.Itoa(killedRuns()), "--seed", "8", "--oracles", "protocol", "--out", out, "corpus/counters", "corpus/loops", "corpus/structs")
	cmd.Env = append(os.Environ(), "MISSTEP_TEST_HUNT=1")
	return cmd
}

// outcomes are those of the campaign in a folder: none if it was ended before it made its database.
func outcomes(t *testing.T, out string) []*campaign.Outcome {
	if _, err := os.Stat(filepath.Join(out, "campaign.db")); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	ctx := context.Background()
	store, err := campaign.ReadStore(ctx, out)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	var all []*campaign.Outcome
	for o, err := range store.Outcomes(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, o)
	}
	return all
}

// classesOf are the classes of what was found, in order.
func classesOf(all []*campaign.Outcome) []string {
	var names []string
	for _, o := range all {
		for _, p := range o.Findings {
			if class := p.Finding.Class.String(); !timed(class) {
				names = append(names, class)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// runs are the runs of the campaign in a folder that came to their ends.
func runs(t *testing.T, out string) []int {
	var done []int
	for _, o := range outcomes(t, out) {
		if o.Run != nil && !o.Run.Cut {
			done = append(done, o.Index)
		}
	}
	return done
}

// note reads what is noted of the campaign in a folder, which has to be there if it is to
// be changed, and changes it.
func note(t *testing.T, out, name, text string) string {
	ctx := context.Background()
	store, err := campaign.ReadStore(ctx, out)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	was, err := store.Noted(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	if text != "" {
		if was == "" {
			t.Fatalf("there is no %s noted in %s", name, out)
		}
		if err := store.Note(ctx, name, text); err != nil {
			t.Fatal(err)
		}
	}
	return was
}

// owned counts the processes that a hunt of the test has started, by their
// environment.
func owned() int {
	out, _ := exec.Command("sh", "-c", `grep -lz '^MISSTEP_TEST_HUNT=1$' /proc/[0-9]*/environ 2>/dev/null | wc -l`).Output()
	n := 0
	fmt.Sscan(string(out), &n)
	return n
}

// killedRuns is how many runs there are in the hunt that is killed.
func killedRuns() int {
	if testhouse.All() {
		return 4
	}
	return 2
}

// kills is how often a hunt is killed.
func kills() int {
	if testhouse.All() {
		return 5
	}
	return 2
}

// TestKilled: a hunt that is killed time and again leaves no process, repeats
// no finished run, and ends with what an undisturbed hunt finds.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	bin := misstepBinary(t)
	calm, wild := t.TempDir(), t.TempDir()
	killedHunt(bin, calm).Run()
	want := classesOf(outcomes(t, calm))
	if len(want) == 0 {
		t.Fatal("the undisturbed hunt finds nothing")
	}
	before := 0
	for i := range kills() {
		cmd := killedHunt(bin, wild)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(600+150*i) * time.Millisecond)
		cmd.Process.Kill()
		cmd.Wait()
		left := 1
		for range 500 {
			if left = owned(); left == 0 {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		if left > 0 {
			t.Fatalf("after kill %d, %d processes are left", i+1, left)
		}
		if n := len(runs(t, wild)); n < before {
			t.Fatalf("after kill %d there are %d runs, before there were %d", i+1, n, before)
		} else {
			before = n
		}
	}
	done := runs(t, wild)
	var out bytes.Buffer
	last := killedHunt(bin, wild)
	last.Stdout = &out
	last.Run()
	if got := classesOf(outcomes(t, wild)); !slices.Equal(got, want) {
		t.Errorf("found %q, the undisturbed hunt %q", got, want)
	}
	if n := len(runs(t, wild)); n != killedRuns() {
		t.Errorf("%d runs, want %d", n, killedRuns())
	}
	if len(done) > 0 && !strings.Contains(out.String(), fmt.Sprintf("%d runs are done", len(done))) {
		t.Errorf("it does not say that it goes on:\n%s", out.String())
	}
	seen := map[string]bool{}
	for _, o := range outcomes(t, wild) {
		for _, p := range o.Findings {
			key := fmt.Sprintf("%d %s", o.Index, p.Finding.Class)
			if seen[key] {
				t.Errorf("doubled: %s", key)
			}
			seen[key] = true
		}
	}
}

// foundSome is the exit code of a command that has found something.
const foundSome = 3

// TestInterrupted: a hunt that is interrupted says by its exit code what it found until
// then, and goes on for what is left of its time.
func TestInterrupted(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	bin, out := misstepBinary(t), t.TempDir()
	hunt := func() *exec.Cmd {
		return exec.Command(bin, "hunt", "--reduce", "0", "--time", "1h", "--oracles", "protocol", "--out", out, "corpus/counters")
	}
	cmd := hunt()
	var said bytes.Buffer
	cmd.Stderr = &said
	news, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// The first class is told as it is found.
	for lines := bufio.NewScanner(news); lines.Scan(); {
		if strings.Contains(lines.Text(), "/") && len(classesOf(outcomes(t, out))) > 0 {
			cmd.Process.Signal(syscall.SIGTERM)
			break
		}
	}
	io.Copy(io.Discard, news)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != foundSome || !strings.Contains(said.String(), "goes on from here") {
		t.Errorf("interrupted with findings: exit code %d, %q", code, said.String())
	}
	before := runs(t, out)
	note(t, out, "spent", "1h")
	if err := hunt().Run(); err == nil || note(t, out, "complete", "") == "" {
		t.Errorf("the hunt whose time is up did not come to its end: %v", err)
	}
	if after := runs(t, out); len(after) != len(before) {
		t.Errorf("%d runs more, though the time was up", len(after)-len(before))
	}
}

// timed reports whether findings of a class depend on time: on where the program is when breakpoints are set
// while it runs, on how much of its output Delve has read when it ends without a debugger, on which of two messages
// Delve sends first when a step is granted after the end, on whether a run that is restarted had ended (what it printed is not
// compared if it had not), or on what the stack holds when Delve has put a program into the middle of an instruction, after which
// it may run for ever.
func timed(class string) bool {
	return strings.HasPrefix(class, "protocol/refuse/") || strings.HasPrefix(class, "end/restart/") || strings.HasPrefix(class, "meanwhile/") || strings.HasPrefix(class, "while-running/") || strings.HasPrefix(class, "no-debug/") || class == "protocol/nobody" ||
		strings.HasPrefix(class, "R8-end/") && strings.HasSuffix(class, "/failure")
}

// TestSameSeed: two hunts with one seed find the same.
func TestSameSeed(t *testing.T) {
	bin := misstepBinary(t)
	found := func() []string {
		dir := t.TempDir()
		programs := testhouse.Part([]string{"corpus/loops", "corpus/sorting"}, 2)
		cmd := exec.Command(bin, append([]string{"hunt", "--reduce", "0", "--runs", strconv.Itoa(len(programs)), "--seed", "9", "--iterations", strconv.Itoa(2 * len(programs)), "--out", dir}, programs...)...)
		cmd.Run()
		var all []string
		for _, o := range outcomes(t, dir) {
			for _, p := range o.Findings {
				if !timed(p.Finding.Class.String()) {
					all = append(all, fmt.Sprintf("%d %s", o.Index, p.Finding.Class))
				}
			}
		}
		slices.Sort(all)
		return all
	}
	if a, b := found(), found(); len(a) == 0 || !slices.Equal(a, b) {
		t.Errorf("%q and %q", a, b)
	}
}
