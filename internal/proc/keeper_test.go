package proc_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"misstep/internal/proc"
)

// TestMain runs the test binary a second time as a misstep that gets killed.
func TestMain(m *testing.M) {
	if os.Getenv("KEEPER_VICTIM") == "" {
		os.Exit(m.Run())
	}
	k, err := proc.NewKeeper()
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	if _, err := k.Start(context.Background(), proc.Spec{Path: "/bin/sh", Args: []string{"-c", escapees}}); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(k.Dir())
	time.Sleep(time.Hour)
}

// escapees start processes that leave their group, their session and their
// parent; TAG finds them.
const escapees = `sleep 987.5 & setsid sleep 987.5 & (setsid sh -c 'sleep 987.5 & exit' &) ; sleep 987.5`

// sleepers counts the processes of escapees.
func sleepers(t *testing.T) int {
	out, err := exec.Command("sh", "-c", `grep -lz '^987.5$' /proc/[0-9]*/cmdline 2>/dev/null | wc -l`).Output()
	if err != nil {
		t.Fatal(err)
	}
	var n int
	fmt.Sscan(string(out), &n)
	return n
}

// eventually polls, as there is nothing to wait on when it is others who die.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 500 {
		if ok() {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("%s did not happen within ten seconds", what)
}

func TestEndKillsAll(t *testing.T) {
	k, err := proc.NewKeeper()
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	p, err := k.Start(context.Background(), proc.Spec{Path: "/bin/sh", Args: []string{"-c", escapees}})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the start of four sleepers", func() bool { return sleepers(t) == 4 })
	p.End(0)
	if n := sleepers(t); n != 0 {
		t.Errorf("%d sleepers are left", n)
	}
	if p.ExitCode() != -int(syscall.SIGKILL) {
		t.Errorf("exit code %d of a process that was killed", p.ExitCode())
	}
}

func TestContextKillsAll(t *testing.T) {
	k, err := proc.NewKeeper()
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		_, err := k.Run(ctx, proc.Spec{Path: "/bin/sh", Args: []string{"-c", escapees}})
		done <- err
	}()
	eventually(t, "the start of four sleepers", func() bool { return sleepers(t) == 4 })
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Run returned %v", err)
	}
	if n := sleepers(t); n != 0 {
		t.Errorf("%d sleepers are left", n)
	}
}

func TestLeftover(t *testing.T) {
	k, err := proc.NewKeeper()
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	left, err := k.Run(context.Background(), proc.Spec{Path: "/bin/sh", Args: []string{"-c", "setsid sleep 987.5 >/dev/null & exit 3"}})
	var exit *exec.ExitError
	if !left || !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Errorf("leftover %t, error %v; want a leftover process and exit code 3", left, err)
	}
	if n := sleepers(t); n != 0 {
		t.Errorf("%d sleepers are left", n)
	}
}

// TestLeft: what a process leaves that ends by itself is counted, and what ends with one that is killed is not.
func TestLeft(t *testing.T) {
	k, err := proc.NewKeeper()
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	for _, c := range []struct {
		script string
		left   int
	}{
		{"exit", 0},
		{"sleep 987.5 & exit", 1},
		{"sleep 987.5 & sleep 987.5 & exit", 2},
		{"sleep 987.5 & wait", 0},
	} {
		p, err := k.Start(context.Background(), proc.Spec{Path: "/bin/sh", Args: []string{"-c", c.script}})
		if err != nil {
			t.Fatal(err)
		}
		p.End(300 * time.Millisecond)
		if p.Left() != c.left {
			t.Errorf("%s: %d are left, want %d", c.script, p.Left(), c.left)
		}
	}
}

// TestKilledKeeper: nothing is left of a misstep that gets SIGKILL.
func TestKilledKeeper(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "KEEPER_VICTIM=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	dir := strings.TrimSpace(line)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the start of four sleepers", func() bool { return sleepers(t) == 4 })
	cmd.Process.Kill()
	cmd.Wait()
	eventually(t, "the end of all sleepers", func() bool { return sleepers(t) == 0 })
	eventually(t, "the removal of the folder", func() bool { _, err := os.Stat(dir); return os.IsNotExist(err) })
}

// TestTemporaryFiles: what a process leaves in the folder for temporary files
// goes with the keeper.
func TestTemporaryFiles(t *testing.T) {
	k, err := proc.NewKeeper()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := k.Run(context.Background(), proc.Spec{Path: "/bin/sh", Args: []string{"-c", "mktemp"}, Stdout: &out}); err != nil {
		t.Fatal(err)
	}
	left := strings.TrimSpace(out.String())
	if _, err := os.Stat(left); err != nil {
		t.Fatal(err)
	}
	k.Close()
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("%s is left: %v", left, err)
	}
}

func TestRunOutput(t *testing.T) {
	k, err := proc.NewKeeper()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := k.Run(context.Background(), proc.Spec{Path: "/bin/echo", Args: []string{"hello"}, Stdout: &out}); err != nil || out.String() != "hello\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
	if _, err := k.Run(context.Background(), proc.Spec{Path: "/no/such/program"}); err == nil {
		t.Error("a program that is not there was started")
	}
	dir := k.Dir()
	k.Close()
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder is left: %v", err)
	}
}

// TestHeld: a process that is held has executed its program and printed nothing, until it is let go.
func TestHeld(t *testing.T) {
	k, err := proc.NewKeeper()
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	var out bytes.Buffer
	p, err := k.Start(context.Background(), proc.Spec{Path: "/bin/echo", Args: []string{"let go"}, Name: "another name", Stdout: &out, Held: true})
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "standing still", func() bool {
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.Pid()))
		return strings.Contains(string(stat), ") T ")
	})
	if !p.Stopped() {
		t.Error("it is not said to be stopped")
	}
	if cmdline, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.Pid())); string(cmdline) != "another name\x00let go\x00" {
		t.Errorf("the command line is %q", cmdline)
	}
	if err := p.Release(); err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	if p.Err() != nil || out.String() != "let go\n" {
		t.Errorf("it ended with %v and printed %q", p.Err(), &out)
	}
}
