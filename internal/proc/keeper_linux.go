package proc

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// starter runs on one thread for as long as the keeper lives: the kernel sends
// the parent-death signal when the thread that forked ends, not the process.
func (k *Keeper) starter() {
	runtime.LockOSThread()
	for start := range k.starts {
		start()
	}
}

func setAttributes(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// startHeld starts a process that stands still before its first instruction. It runs on the thread that traces the
// process until then (ptrace(2)): the kernel stops a traced process when it has executed its program, and one that is
// let go with a signal to stop is stopped as by any such signal.
func startHeld(cmd *exec.Cmd) error {
	cmd.SysProcAttr.Ptrace = true
	if err := cmd.Start(); err != nil {
		return err
	}
	pid := cmd.Process.Pid
	var status syscall.WaitStatus
	_, err := syscall.Wait4(pid, &status, 0, nil)
	switch {
	case err != nil:
		err = fmt.Errorf("waiting for process %d to begin: %w", pid, err)
	case !status.Stopped():
		err = fmt.Errorf("process %d ended before it began", pid)
	default:
		if _, _, errno := syscall.RawSyscall6(syscall.SYS_PTRACE, syscall.PTRACE_DETACH, uintptr(pid), 0, uintptr(syscall.SIGSTOP), 0, 0); errno != 0 {
			err = fmt.Errorf("letting go of process %d: %w", pid, errno)
		}
	}
	if err != nil {
		cmd.Process.Kill()
		cmd.Wait()
	}
	return err
}

// stopped reports whether a process is stopped, by a signal or by who traces it.
func stopped(pid int) bool {
	state, _, _ := status(strconv.Itoa(pid))
	return state == 'T' || state == 't'
}

func release(pid int) error { return syscall.Kill(pid, syscall.SIGCONT) }

// guardScript reads until misstep's end of the pipe closes, which the kernel
// does however misstep ends. $1 is the mark, $2 the temporary folder.
const guardScript = `
trap '' HUP INT TERM
while read -r _; do :; done
for i in 1 2 3; do
	found=
	for e in $(grep -lzsF "$1" /proc/[0-9]*/environ); do
		p=${e#/proc/}
		kill -9 "${p%/environ}" 2>/dev/null && found=1
	done
	[ -n "$found" ] || break
done
rm -rf "$2"
`

func (k *Keeper) startGuard() error {
	cmd := exec.Command("/bin/sh", "-c", guardScript, "misstep-guard", markVar+"="+k.nonce+".", k.dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Dir = "/"
	in, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("making the guard's pipe: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting the guard of misstep's processes: %w", err)
	}
	k.guard, k.guardIn = cmd, in
	return nil
}

func killGroup(pid int) { syscall.Kill(-pid, syscall.SIGKILL) }

// killMarked kills every process whose environment holds the mark, waits for
// their end, and returns how many there were. It looks again until it finds
// none, as a process may fork while we look. Session is that of the first of
// them, or 0.
func killMarked(mark string, session int) int {
	killed := map[int]bool{}
	for range 20 {
		pids, unsure := marked(mark, session)
		if len(pids) == 0 {
			if !unsure {
				break
			}
			// Executing a program takes its time on a busy machine.
			time.Sleep(10 * time.Millisecond)
			continue
		}
		var ends []unix.PollFd
		for _, pid := range pids {
			fd, err := unix.PidfdOpen(pid, 0)
			if err != nil {
				continue // it has gone
			}
			defer unix.Close(fd)
			if unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0) == nil {
				killed[pid] = true
				ends = append(ends, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
			}
		}
		deadline := time.Now().Add(time.Second)
		for len(ends) > 0 && time.Now().Before(deadline) {
			unix.Poll(ends, int(time.Until(deadline).Milliseconds())+1)
			left := ends[:0]
			for _, e := range ends {
				if e.Revents == 0 {
					left = append(left, e)
				}
			}
			ends = left
		}
	}
	return len(killed)
}

// vanish waits until no process has the mark, or for so long, and reports whether none has.
func vanish(mark string, session int, limit time.Duration) bool {
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if pids, unsure := marked(mark, session); len(pids) == 0 && !unsure {
			return true
		}
	}
	return false
}

// marked lists the processes, zombies excepted, whose environment holds mark. A
// process has none for a moment while it executes another program; then its
// session tells, or else it is unsure whether there are more.
func marked(mark string, session int) (pids []int, unsure bool) {
	d, err := os.Open("/proc")
	if err != nil {
		return nil, false
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	buf := make([]byte, 256<<10)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == os.Getpid() {
			continue
		}
		// Unreadable for other users' processes; empty for zombies and the
		// kernel's own, too.
		env, err := environ("/proc/"+name+"/environ", buf)
		switch {
		case err != nil:
		case len(env) > 0:
			if bytes.Contains(env, []byte(mark)) {
				pids = append(pids, pid)
			}
		default:
			state, sid, empty := status(name)
			if state == 'Z' || state == 'X' || state == 0 {
				continue
			}
			if _, err := os.Readlink("/proc/" + name + "/exe"); err != nil {
				continue
			}
			if session != 0 && sid == session {
				pids = append(pids, pid)
			} else if !empty {
				unsure = true
			}
		}
	}
	return pids, unsure
}

// environ reads an environment into buf, and only what has no room there in more
// than one piece: between two the process may execute another program, and what
// it had before is read as ending there.
func environ(file string, buf []byte) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	n, err := f.Read(buf)
	if n < len(buf) {
		if err == io.EOF {
			err = nil
		}
		return buf[:n], err
	}
	rest, err := io.ReadAll(f)
	return append(buf[:n:n], rest...), err
}

// status reads a process's state and session from /proc/PID/stat, and reports
// whether its environment is empty. That of a process that executes another
// program is not known to be: it begins and ends nowhere, or has come since it
// was looked at.
func status(pid string) (state byte, session int, empty bool) {
	text, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return 0, 0, false
	}
	// The name in parentheses may hold anything.
	i := bytes.LastIndexByte(text, ')')
	fields := bytes.Fields(text[i+1:])
	if i < 0 || len(fields) < 4 {
		return 0, 0, false
	}
	// Fields are counted from 1 in proc_pid_stat(5); the third is the first here.
	const sessionField, envStart, envEnd = 6 - 3, 50 - 3, 51 - 3
	session, _ = strconv.Atoi(string(fields[sessionField]))
	empty = len(fields) > envEnd && string(fields[envEnd]) != "0" && bytes.Equal(fields[envStart], fields[envEnd])
	return fields[0][0], session, empty
}
