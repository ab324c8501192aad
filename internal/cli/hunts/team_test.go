package hunts

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"misstep/campaign"
)

// A member is a command of a team that goes on until it is interrupted.
type member struct {
	cmd *exec.Cmd
	out *bufio.Reader
	err *bytes.Buffer
}

// joins starts a member.
func joins(t *testing.T, bin string, args ...string) *member {
	t.Helper()
	m := &member{cmd: exec.Command(bin, args...), err: &bytes.Buffer{}}
	m.cmd.Stderr = m.err
	out, err := m.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	m.out = bufio.NewReader(out)
	if err := m.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		m.cmd.Process.Kill()
		m.cmd.Wait()
	})
	return m
}

// interrupt ends a member, which has to say that all is well.
func (m *member) interrupt(t *testing.T) {
	t.Helper()
	m.cmd.Process.Signal(syscall.SIGINT)
	go io.Copy(io.Discard, m.out)
	if err := m.cmd.Wait(); err != nil {
		t.Errorf("%s: %v\n%s", m.cmd.Args[1], err, m.err)
	}
}

// varying is what a table has of time and of the toolchain that is named for others.
var varying = regexp.MustCompile(`"took": [0-9]+|,go=go[0-9.]+`)

// TestTeam: a hub, a worker and a hunt that is submitted find what a hunt alone finds, and the pages show it. What is
// interrupted goes on, and nobody leaves anything behind.
func TestTeam(t *testing.T) {
	bin := misstepBinary(t)
	before := owned()
	serve := joins(t, bin, "serve", "--listen", "127.0.0.1:0", "--pages", "127.0.0.1:0", "--dir", t.TempDir())
	var address, pages string
	for address == "" || pages == "" {
		line, err := serve.out.ReadString('\n')
		if err != nil {
			t.Fatalf("serve said %q, %v\n%s", line, err, serve.err)
		}
		if _, rest, ok := strings.Cut(line, "work --join "); ok {
			address = strings.TrimSpace(rest)
		}
		if _, rest, ok := strings.Cut(line, "pages at "); ok {
			pages = strings.TrimSpace(rest)
		}
	}
	args := []string{"--reduce", "0", "--runs", "2", "--oracles", "protocol", "--seed", "5", "corpus/counters"}
	hunt := func(extra ...string) (classes []string, complete bool, stderr string) {
		t.Helper()
		cmd := exec.Command(bin, append(append([]string{"hunt", "--json", "--out", t.TempDir()}, extra...), args...)...)
		var out, said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &said
		cmd.Run() // there may be findings
		for line := range strings.Lines(out.String()) {
			var e campaign.Event
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				t.Fatalf("%v\n%s", err, said.String())
			}
			if e.Summary == nil {
				continue
			}
			complete = e.Summary.Complete
			for _, c := range e.Summary.Classes() {
				if !timed(c.Class) {
					classes = append(classes, c.Class)
				}
			}
		}
		slices.Sort(classes)
		return classes, complete, said.String()
	}
	// Nobody works yet: the submitter says so, and can be interrupted.
	waiting := joins(t, bin, append([]string{"hunt", "--join", address, "--out", t.TempDir()}, args...)...)
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		if r, err := http.Get(pages); err == nil {
			text, _ := io.ReadAll(r.Body)
			r.Body.Close()
			if strings.Contains(string(text), "No worker has joined") && strings.Contains(string(text), "campaign/") {
				break
			}
		}
		if time.Now().After(end) {
			t.Fatalf("the pages do not show the campaign: %s", waiting.err)
		}
	}
	waiting.cmd.Process.Signal(syscall.SIGINT)
	go io.Copy(io.Discard, waiting.out)
	if err := waiting.cmd.Wait(); err == nil {
		t.Error("an interrupted hunt says that all is well")
	}
	work := joins(t, bin, "work", "--join", address, "--as-root", "-j", "2")
	got, complete, said := hunt("--join", address)
	if want, _, _ := hunt(); !slices.Equal(got, want) || !complete {
		t.Errorf("on the hub %q, complete %t, alone %q\n%s%s", got, complete, want, said, work.err)
	}
	// So do tests of debuggers and of profilers.
	for _, args := range [][]string{
		{"conform", "--json", filepath.Join("..", "..", "..", "testscripts", "conformance", "assignment.txtar")},
		{"cover", "--json", "--trials", "2", "corpus/counters"},
	} {
		var said [2]string
		for i, extra := range [][]string{nil, {"--join", address}} {
			cmd := exec.Command(bin, append(args, extra...)...)
			out, err := cmd.Output()
			if err != nil {
				t.Errorf("%q: %v\n%s", cmd.Args[1:], err, work.err)
			}
			said[i] = varying.ReplaceAllString(string(out), "")
		}
		if said[0] != said[1] || !strings.Contains(said[0], "passed") && !strings.Contains(said[0], `"programs": 1`) {
			t.Errorf("%q: alone %s\non the hub %s", args, said[0], said[1])
		}
	}
	// What is forgotten is gone, and a hunt of the same begins anew.
	campaigns := func(args ...string) string {
		t.Helper()
		out, err := exec.Command(bin, append([]string{"campaigns", "--join", address}, args...)...).CombinedOutput()
		if err != nil {
			t.Errorf("campaigns %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	name, _, _ := strings.Cut(campaigns(), "\t")
	if list := campaigns(); name == "" || strings.Count(list, "\n") != 1 || !strings.Contains(list, "\tcomplete\t") || !strings.HasSuffix(list, "\tcorpus/counters\n") {
		t.Errorf("the hub has %q", list)
	}
	if said := campaigns("--forget-older", "1h"); strings.Contains(said, "forgotten") {
		t.Errorf("what is new was forgotten: %s", said)
	}
	if said := campaigns("--forget", name); !strings.HasPrefix(said, name+" is forgotten\n") {
		t.Errorf("forgetting %s: %s", name, said)
	}
	if list := campaigns(); list != "the hub has no campaign\n" {
		t.Errorf("after it was forgotten the hub has %q", list)
	}
	work.interrupt(t)
	serve.interrupt(t)
	for end := time.Now().Add(10 * time.Second); owned() > before; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d processes are left", owned()-before)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(t.TempDir(), "*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
