package mutation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"misstep/internal/proc"
)

// An Outcome is what came of a mutant.
type Outcome string

// The outcomes.
const (
	Killed     Outcome = "killed"     // the command failed
	TimedOut   Outcome = "timed out"  // it took far longer than without the mutant, which counts as killed
	Survived   Outcome = "survived"   // it came to its end as it does without
	Equivalent Outcome = "equivalent" // the list says so; it was not run
)

// A Result is a mutant with its outcome.
type Result struct {
	*Mutant
	Outcome Outcome       `json:"outcome"`
	Took    time.Duration `json:"took"`
	Says    string        `json:"says,omitempty"` // the command's last lines, where it failed
	// Again is how often the command was run again after it had failed.
	Again int `json:"again,omitempty"`
}

// A Trial runs a command with mutants, one at a time switched on. The command gets at them by
// words in its arguments that stand for something: see [Trial.Words].
type Trial struct {
	Keeper  *proc.Keeper
	Command []string
	// Words stand for something in the command's arguments, as {dlv} for a path. {id} is the mutant's number, 0 for
	// none, and {tmp} a folder that is there for as long as the command runs.
	Words map[string]string
	// Limit is how long the command may take with a mutant.
	Limit time.Duration
	// Again is how often a command that failed is run again. It has failed only if it does so each time: of one that
	// fails by itself now and then a single failure says nothing.
	Again int
	// Logs is a folder for all that the command prints, a file for each mutant; empty for none.
	Logs string
	// Same are the keys of mutants that change nothing.
	Same    map[string]bool
	Workers int
}

// A FailedError says that the command fails with no mutant on, so that its failures say nothing.
type FailedError struct {
	Err  error
	Says string
}

// Error says how it failed.
func (e *FailedError) Error() string {
	return fmt.Sprintf("the command fails without a mutant: %v", e.Err)
}

// Healthy runs the command without a mutant, and returns the numbers of those that it comes by,
// and how long it takes. The error is a [FailedError] if the command fails.
func (t *Trial) Healthy(ctx context.Context) (reached map[int]bool, took time.Duration, err error) {
	dir, err := t.Keeper.TempDir("seen")
	if err != nil {
		return nil, 0, fmt.Errorf("making a folder: %w", err)
	}
	defer os.RemoveAll(dir)
	seen := filepath.Join(dir, "seen")
	var says string
	for range t.Again + 1 {
		start := time.Now()
		says, err = t.run(ctx, 0, Seen+"="+seen)
		took = time.Since(start)
		if err == nil || ctx.Err() != nil {
			break
		}
	}
	if ctx.Err() != nil {
		return nil, 0, context.Cause(ctx)
	}
	if err != nil {
		return nil, 0, &FailedError{err, says}
	}
	text, err := os.ReadFile(seen)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, 0, fmt.Errorf("reading which mutants the command comes by: %w", err)
	}
	reached = map[int]bool{}
	for _, n := range strings.Fields(string(text)) {
		id, err := strconv.Atoi(n)
		if err != nil {
			return nil, 0, fmt.Errorf("reading which mutants the command comes by: %w", err)
		}
		reached[id] = true
	}
	return reached, took, nil
}

// Run tries mutants, and tells of each as soon as it is known how it came out, in no order.
func (t *Trial) Run(ctx context.Context, mutants []*Mutant, tell func(*Result)) error {
	var (
		mu    sync.Mutex
		wg    sync.WaitGroup
		first error
		slots = make(chan bool, max(t.Workers, 1))
	)
	for _, m := range mutants {
		slots <- true
		wg.Go(func() {
			defer func() { <-slots }()
			if ctx.Err() != nil {
				return
			}
			r, err := t.try(ctx, m)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				first = errors.Join(first, err)
				return
			}
			tell(r)
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return first
}

// try runs the command with a mutant.
func (t *Trial) try(ctx context.Context, m *Mutant) (*Result, error) {
	r := &Result{Mutant: m}
	if t.Same[m.Key()] {
		r.Outcome = Equivalent
		return r, nil
	}
	for ; ; r.Again++ {
		if err := t.once(ctx, r); err != nil {
			return nil, err
		}
		if r.Outcome != Killed || r.Again == t.Again {
			return r, nil
		}
	}
}

// once runs the command with a result's mutant.
func (t *Trial) once(ctx context.Context, r *Result) error {
	limited, cancel := context.WithTimeout(ctx, t.Limit)
	defer cancel()
	start := time.Now()
	says, err := t.run(limited, r.ID, On+"="+strconv.Itoa(r.ID))
	r.Took, r.Outcome, r.Says = time.Since(start), Survived, ""
	var failed *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case limited.Err() != nil:
		r.Outcome, r.Says = TimedOut, says
	case errors.As(err, &failed):
		r.Outcome, r.Says = Killed, says
	case err != nil:
		return fmt.Errorf("running the command with mutant %d: %w", r.ID, err)
	}
	return nil
}

// said is how many of the last lines that a command prints are kept, and how much of these.
const said, saidBytes = 8, 2000

// run runs the command, and returns the last of what it prints.
func (t *Trial) run(ctx context.Context, id int, env string) (says string, err error) {
	tmp, err := t.Keeper.TempDir("mutant")
	if err != nil {
		return "", fmt.Errorf("making a folder: %w", err)
	}
	defer os.RemoveAll(tmp)
	args := make([]string, len(t.Command))
	for i, a := range t.Command {
		for word, text := range t.Words {
			a = strings.ReplaceAll(a, word, text)
		}
		args[i] = strings.NewReplacer("{id}", strconv.Itoa(id), "{tmp}", tmp).Replace(a)
	}
	path, err := exec.LookPath(args[0])
	if err != nil {
		return "", fmt.Errorf("the command: %w", err)
	}
	var out bytes.Buffer
	_, err = t.Keeper.Run(ctx, proc.Spec{Path: path, Args: args[1:], Env: []string{env}, Stdout: &out, Stderr: &out})
	if t.Logs != "" {
		if werr := os.WriteFile(filepath.Join(t.Logs, strconv.Itoa(id)+".txt"), out.Bytes(), 0o666); werr != nil {
			return "", fmt.Errorf("keeping what the command prints: %w", werr)
		}
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	says = strings.Join(lines[max(0, len(lines)-said):], "\n")
	return says[max(0, len(says)-saidBytes):], err
}
