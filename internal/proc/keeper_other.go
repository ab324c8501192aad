//go:build !linux

package proc

import (
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"time"
)

func (k *Keeper) starter() {
	for start := range k.starts {
		start()
	}
}

func setAttributes(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

func startHeld(*exec.Cmd) error {
	return fmt.Errorf("holding a process before it begins: %w", errors.ErrUnsupported)
}

// stopped is not known here.
func stopped(int) bool { return false }

func release(int) error { return errors.ErrUnsupported }

func (k *Keeper) startGuard() error {
	cmd := exec.Command("/bin/sh", "-c", `trap '' HUP INT TERM; while read -r _; do :; done; rm -rf "$1"`, "misstep-guard", k.dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
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

func vanish(string, int, time.Duration) bool { return true }

// killMarked finds nothing where there is no /proc to look in.
func killMarked(string, int) int { return 0 }
