// Package proc starts processes that cannot outlive misstep.
//
// A [Keeper] stands for one running misstep. All that it starts, and all that
// those processes start in turn, carry the keeper's mark in their environment,
// and all its temporary files lie in one folder. Three mechanisms end them:
//
//   - [Process.End] kills the process's own group and then every process that
//     still carries its mark, again and again until none is left. The mark
//     survives setsid, double forks and a parent's death; a process group does
//     not.
//   - The kernel kills each direct child when its parent thread dies
//     (PR_SET_PDEATHSIG, linux).
//   - A guard, a small shell script in a session of its own, waits at the end
//     of a pipe for misstep to die in any way, SIGKILL included. Then it kills
//     what carries the mark and removes the folder. A debugger that is killed
//     lets go of its program instead of killing it, so the signal alone would
//     not do.
//
// Not covered: a process that wipes its own environment and leaves its process
// group; and, on systems without /proc, a process that leaves its group.
package proc

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// markVar is the environment variable that marks a process as a keeper's.
const markVar = "MISSTEP_OWNED"

// A Keeper owns processes and temporary files. Its methods may be called
// concurrently.
type Keeper struct {
	nonce string
	dir   string
	count atomic.Int64

	guard   *exec.Cmd
	guardIn io.Closer

	starts chan func() // runs on one thread that lives as long as the keeper
	once   sync.Once
}

// NewKeeper makes a keeper with an empty temporary folder below os.TempDir,
// and starts its guard.
func NewKeeper() (*Keeper, error) {
	b := make([]byte, 8)
	rand.Read(b)
	k := &Keeper{nonce: hex.EncodeToString(b), starts: make(chan func())}
	dir, err := os.MkdirTemp("", "misstep-")
	if err != nil {
		return nil, fmt.Errorf("making a temporary folder: %w", err)
	}
	// Debuggers and compilers report resolved paths; so do we.
	if k.dir, err = filepath.EvalSymlinks(dir); err != nil {
		os.RemoveAll(dir)
		return nil, fmt.Errorf("resolving the temporary folder %s: %w", dir, err)
	}
	if err := os.Mkdir(filepath.Join(k.dir, "tmp"), 0o777); err != nil {
		os.RemoveAll(k.dir)
		return nil, fmt.Errorf("making a temporary folder: %w", err)
	}
	if err := k.startGuard(); err != nil {
		os.RemoveAll(k.dir)
		return nil, err
	}
	go k.starter()
	return k, nil
}

// Dir is the keeper's temporary folder; it goes with the keeper.
func (k *Keeper) Dir() string { return k.dir }

// TempDir makes a new folder inside Dir.
func (k *Keeper) TempDir(name string) (string, error) {
	return os.MkdirTemp(k.dir, name+"-")
}

// Close ends every process that the keeper still has and removes its folder.
func (k *Keeper) Close() error {
	var err error
	k.once.Do(func() {
		killMarked(markVar+"="+k.nonce+".", 0)
		close(k.starts)
		err = os.RemoveAll(k.dir)
		k.guardIn.Close()
		k.guard.Wait()
	})
	return err
}

// A Spec says what to start. An empty Stdin reads as empty.
type Spec struct {
	Path string
	Args []string // without the program's name
	Dir  string
	Env  []string // added to misstep's own environment

	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Files are inherited as file descriptors from 3 on.
	Files []*os.File
	// Name is the first word of the command line that the process is started with; Path by default.
	Name string
	// Held has the process stand still before its first instruction, until [Process.Release]. It needs Linux.
	Held bool
}

// A Process is a started process with all its descendants.
type Process struct {
	cmd  *exec.Cmd
	mark string
	done chan struct{}
	err  error
	left int
	// killed says that it did not end by itself.
	killed bool
}

// Start starts a process in a session of its own. When ctx ends, the process
// and its descendants are killed.
func (k *Keeper) Start(ctx context.Context, spec Spec) (*Process, error) {
	cmd := exec.Command(spec.Path, spec.Args...)
	p := &Process{
		cmd:  cmd,
		mark: fmt.Sprintf("%s=%s.%d.", markVar, k.nonce, k.count.Add(1)),
		done: make(chan struct{}),
	}
	cmd.Dir = spec.Dir
	// What they leave in the folder for temporary files, as a debugger does that
	// is killed, goes with ours. It is the same for all, so that a program sees
	// the same one each time.
	cmd.Env = append(append(os.Environ(), "TMPDIR="+filepath.Join(k.dir, "tmp")), spec.Env...)
	cmd.Env = append(cmd.Env, p.mark)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = spec.Stdin, spec.Stdout, spec.Stderr
	cmd.ExtraFiles = spec.Files
	if spec.Name != "" {
		cmd.Args[0] = spec.Name
	}
	// Grandchildren may hold the pipes open after the process has gone.
	cmd.WaitDelay = 2 * time.Second
	setAttributes(cmd)
	started := make(chan error, 1)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	begin := cmd.Start
	if spec.Held {
		begin = func() error { return startHeld(cmd) }
	}
	k.starts <- func() { started <- begin() }
	if err := <-started; err != nil {
		return nil, fmt.Errorf("starting %s: %w", spec.Path, err)
	}
	go func() {
		p.err = cmd.Wait()
		close(p.done)
	}()
	context.AfterFunc(ctx, p.kill)
	return p, nil
}

// Run starts a process, waits for it to end and ends its descendants. Leftover
// says that there were some.
func (k *Keeper) Run(ctx context.Context, spec Spec) (leftover bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p, err := k.Start(ctx, spec)
	if err != nil {
		return false, err
	}
	return p.Wait(ctx)
}

// Wait is what [Keeper.Run] does with a process that has been started with a context.
func (p *Process) Wait(ctx context.Context) (leftover bool, err error) {
	<-p.done
	n := killMarked(p.mark, p.cmd.Process.Pid)
	if ctx.Err() != nil {
		return n > 0, context.Cause(ctx)
	}
	return n > 0, p.err
}

// Release lets a process go on that was held. One that a debugger has attached to goes on when that lets it.
func (p *Process) Release() error { return release(p.cmd.Process.Pid) }

// Stopped reports whether the process is stopped, by a signal or by who traces it, as far as that is known.
func (p *Process) Stopped() bool { return stopped(p.cmd.Process.Pid) }

// Pid is the process's number.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Done is closed when the process itself has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err is how the process ended; it may be read when Done is closed.
func (p *Process) Err() error { return p.err }

// ExitCode is the process's exit code as [Code] has it; it may be asked for when Done is closed.
func (p *Process) ExitCode() int { return Code(p.cmd.ProcessState) }

// Used is for how long the process used a processor; it may be asked for when Done is closed.
func (p *Process) Used() time.Duration {
	return p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()
}

// Code is the exit code of a process that has ended, or minus the number of the signal that ended it.
func Code(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return -int(w.Signal())
	}
	return s.ExitCode()
}

// vanishing is how long descendants of a process that has ended may take to end as well: those that it has killed take a
// moment.
const vanishing = 500 * time.Millisecond

// Left is how many descendants were still there when the process had ended by itself, and End looked for them.
func (p *Process) Left() int { return p.left }

// Itself reports whether the process has ended by itself, once [Process.End] has returned.
func (p *Process) Itself() bool { return !p.killed }

// Signal sends the process a signal, and none to its descendants.
func (p *Process) Signal(sig os.Signal) error { return p.cmd.Process.Signal(sig) }

// End waits up to grace for the process to end by itself, then kills it, and
// then kills every descendant that is left.
func (p *Process) End(grace time.Duration) error {
	t := time.NewTimer(grace)
	defer t.Stop()
	itself := true
	select {
	case <-p.done:
	case <-t.C:
		itself = false
		p.killed = true
		p.kill()
		<-p.done
	}
	if !itself || !vanish(p.mark, p.cmd.Process.Pid, vanishing) {
		if left := killMarked(p.mark, p.cmd.Process.Pid); itself {
			p.left = left
		}
	}
	if errors.Is(p.err, exec.ErrWaitDelay) {
		return nil
	}
	return p.err
}

func (p *Process) kill() {
	select {
	case <-p.done:
		return
	default:
	}
	killGroup(p.cmd.Process.Pid)
	killMarked(p.mark, p.cmd.Process.Pid)
}
