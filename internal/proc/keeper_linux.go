package proc

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
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

// guardScript reads until misstep's end of the pipe closes, which the kernel
// does however misstep ends. $1 is the mark, $2 the temporary folder.
const guardScript = `
trap '' HUP INT TERM
while read -r _; do :; done
for i in 1 2 3; do
	found=
	for e in /proc/[0-9]*/environ; do
		if grep -qzF "$1" "$e" 2>/dev/null; then
			p=${e#/proc/}
			kill -9 "${p%/environ}" 2>/dev/null && found=1
		fi
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

// killMarked kills every process whose environment holds the mark and returns
// how many there were. It looks again until it finds none, as a process may
// fork while we look.
func killMarked(mark string) int {
	killed := map[int]bool{}
	for range 50 {
		again := false
		for _, pid := range marked(mark) {
			if syscall.Kill(pid, syscall.SIGKILL) == nil && !killed[pid] {
				killed[pid], again = true, true
			}
		}
		if !again {
			break
		}
	}
	return len(killed)
}

// marked lists the processes, zombies excepted, whose environment holds mark.
func marked(mark string) []int {
	d, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	var pids []int
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == os.Getpid() {
			continue
		}
		// Unreadable for other users' processes, empty for zombies.
		env, err := os.ReadFile("/proc/" + name + "/environ")
		if err == nil && bytes.Contains(env, []byte(mark)) {
			pids = append(pids, pid)
		}
	}
	return pids
}
