package record

import (
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"misstep/history"
	"misstep/internal/proc"
)

// Options say how a run is recorded.
type Options struct {
	// Size is how many bytes the history may have, Time how long is recorded; zero
	// is no limit. When one is reached, the program runs on unrecorded.
	Size int64
	Time time.Duration
	// Env is added to the environment.
	Env            []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer

	// Snapshots, if not nil, gets the values of a watched program's variables.
	Snapshots *history.Snapshots
	// Memo, if not nil, is what was read of other runs of the program.
	Memo *history.Memo
	// Sets are the assignments to make, at most MaxSets.
	Sets []Set
	// Turn, if not nil, is a condition to invert, at one evaluation or at Each.
	Turn *Set
	// Shake, if not 0, is the seed of a random order in which the goroutines of a
	// watched program run. With Slow it waits now and then, too.
	Shake uint32
}

// A Set is an assignment, of all of a watched program's, at the nth execution of its
// statement from 0, or a condition at its nth evaluation.
type Set struct{ Number, Nth int }

// Each, as the number of an evaluation, is all of them; package rt has the same.
const Each = 1<<31 - 1

// Slow is the bit of a seed that lets a watched program wait now and then, for some milliseconds
// and less than a tenth of a second in all, as a debugger does.
const Slow = 1 << 31

// MaxSets is how many assignments a run may make; package rt has the same.
const MaxSets = 16

// Run runs a recording once and writes its history. The error is that of the
// recorder; how the program ended is in End.
func (r *Recorder) Run(ctx context.Context, rec *history.Recording, opts Options, w io.Writer) (history.End, error) {
	out, err := history.NewWriter(w, rec.Plan)
	if err != nil {
		return history.End{}, err
	}
	s, err := newShared()
	if err != nil {
		return history.End{}, err
	}
	defer s.close()
	files := s.theirs()
	var snapshots, snapshotsEnd *os.File
	if opts.Memo == nil {
		opts.Memo = &history.Memo{}
	}
	if opts.Snapshots != nil {
		if snapshots, snapshotsEnd, err = os.Pipe(); err != nil {
			return history.End{}, fmt.Errorf("making a pipe: %w", err)
		}
		defer snapshots.Close()
		files = append(files, snapshotsEnd)
	}
	s.ask(&opts)
	p := rec.Build.Program
	process, err := r.Keeper.Start(ctx, proc.Spec{
		Path: rec.Build.Binary, Args: p.RunArgs, Dir: p.RunDir(), Env: opts.Env,
		Stdin: opts.Stdin, Stdout: opts.Stdout, Stderr: opts.Stderr, Files: files,
	})
	if snapshotsEnd != nil {
		snapshotsEnd.Close()
	}
	if err != nil {
		return history.End{}, err
	}
	s.started()
	read := make(chan struct{})
	go func() {
		defer close(read)
		if opts.Snapshots != nil {
			*opts.Snapshots = *opts.Memo.ReadSnapshots(snapshots, rec.Watched)
		}
	}()
	end := history.End{}
	if opts.Time > 0 {
		t := time.AfterFunc(opts.Time, func() { s.stop() })
		defer t.Stop()
	}
	if end.Stopped, err = s.drain(out, opts.Size); err != nil {
		s.stop()
		process.End(0)
		return history.End{}, err
	}
	<-process.Done()
	process.End(0)
	if snapshots != nil {
		snapshots.SetReadDeadline(time.Now().Add(readRest)) // whoever else has the pipe
	}
	<-read
	if err := ctx.Err(); err != nil {
		end.Stopped = "the recorder was stopped"
	}
	if err := s.rest(out); err != nil {
		return history.End{}, err
	}
	end.ExitCode = process.ExitCode()
	switch {
	case end.Stopped != "":
	case s.word(1).Load() != 0:
		end.Stopped = fmt.Sprintf("it took longer than %s", opts.Time)
	case s.word(2).Load() == 2:
		end.Stopped = "a call that was made in it panicked"
	case s.word(2).Load() != 0:
		end.Stopped = "more goroutines than there is room for"
	}
	var exit *exec.ExitError
	if err := process.Err(); err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return end, fmt.Errorf("running %s: %w", p.Name, err)
	}
	end.Words = out.Words()
	return end, out.Close(end)
}

// ask tells the program what is wanted of the run.
func (s *shared) ask(opts *Options) {
	if opts.Snapshots != nil {
		s.word(3).Store(1)
	}
	if opts.Turn != nil {
		s.word(4).Store(uint32(opts.Turn.Number) + 1)
		s.word(5).Store(uint32(opts.Turn.Nth) + 1)
	}
	for i, set := range opts.Sets[:min(len(opts.Sets), MaxSets)] {
		s.word(8 + 2*i).Store(uint32(set.Number) + 1)
		s.word(9 + 2*i).Store(uint32(set.Nth) + 1)
	}
	s.word(6).Store(opts.Shake)
}

// drain writes the chunks that the program hands over, until it ends, however that happens:
// the pipe ends with it. A history that grows beyond size stops the program; stopped says so.
func (s *shared) drain(out *history.Writer, size int64) (stopped string, err error) {
	var numbers [sharedBatch * 4]byte
	for {
		got, err := io.ReadAtLeast(s.full, numbers[:], 4)
		if err != nil {
			return stopped, nil
		}
		for i := 0; i+4 <= got; i += 4 {
			n := int(binary.LittleEndian.Uint32(numbers[i:]))
			if n >= sharedChunks {
				return stopped, nil
			}
			if err := out.Chunk(s.chunk(n)); err != nil {
				return stopped, err
			}
			s.clear(n)
		}
		if size > 0 && out.Size() > size && stopped == "" {
			stopped = fmt.Sprintf("the history has more than %d bytes", size)
			s.stop()
		}
		if _, err := s.free.Write(numbers[:got]); err != nil {
			return stopped, nil
		}
	}
}

// rest writes the chunks that the program was still writing when it ended.
func (s *shared) rest(out *history.Writer) error {
	for n := range min(int(s.word(7).Load()), sharedChunks) {
		if c := s.chunk(n); c.Goroutine != 0 {
			if err := out.Chunk(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// readRest bounds how long snapshots are read after a program's end.
const readRest = 5 * time.Second
