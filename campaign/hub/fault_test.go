package hub_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"misstep/campaign"
	"misstep/campaign/hub"
	"misstep/internal/gobuild"
	"misstep/report"
)

// kills is how many processes TestKilled kills. A nightly run has 100.
var kills = flag.Int("kills", 12, "processes that TestKilled kills")

// What this test's own binary is when it is started again.
const (
	roleVar   = "MISSTEP_TEST_ROLE" // server, worker, submitter, victim or clock
	hubVar    = "MISSTEP_TEST_HUB"
	folderVar = "MISSTEP_TEST_FOLDER"
	runsVar   = "MISSTEP_TEST_RUNS"
)

// shortLease lets tests not wait long for what died.
const shortLease = 2 * time.Second

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVar); role != "" {
		if err := play(role, os.Getenv(hubVar), os.Getenv(folderVar)); err != nil {
			fmt.Fprintln(os.Stderr, role+":", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// play is a process of a team.
func play(role, address, dir string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	say := func(text string) { fmt.Fprintln(os.Stderr, role+":", text) }
	if role == "clock" {
		return jumps()
	}
	if role == "server" {
		s, err := hub.Serve(address, dir, shortLease, say)
		if err != nil {
			return err
		}
		defer s.Close()
		h, err := s.Join(ctx)
		if err != nil {
			return err
		}
		defer h.Close()
		<-ctx.Done()
		return nil
	}
	h, err := hub.Join(ctx, address, "")
	if err != nil {
		return err
	}
	defer h.Close()
	if role == "worker" || role == "victim" {
		var does campaign.Worker = &fake{takes: 30 * time.Millisecond}
		if role == "victim" {
			does = victim{does}
		}
		w := &hub.Worker{Hub: h, Slots: 2, Say: say, Open: func(string) (campaign.Worker, func(), error) { return does, func() {}, nil }}
		return w.Run(ctx)
	}
	var programs []*gobuild.Program
	text, err := os.ReadFile(filepath.Join(dir, "programs.json"))
	if err == nil {
		err = json.Unmarshal(text, &programs)
	}
	if err != nil {
		return err
	}
	runs, err := strconv.Atoi(os.Getenv(runsVar))
	if err != nil {
		return err
	}
	cfg := configOf(programs, runs, filepath.Join(dir, "out"))
	if err := os.MkdirAll(cfg.Out, 0o777); err != nil {
		return err
	}
	identity, err := cfg.Identity()
	if err != nil {
		return err
	}
	name, err := h.Find(ctx, "killed", identity, "test")
	if err != nil {
		return err
	}
	store, err := h.Store(ctx, name, func(err error) { say(err.Error()); os.Exit(1) })
	if err != nil {
		return err
	}
	defer store.Close()
	q, err := h.Queue(ctx, name)
	if err != nil {
		return err
	}
	defer q.Close()
	sum, err := campaign.Hunt(ctx, cfg, q, store, "go1.26.0", &events{})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "found"), []byte(found(sum)), 0o666)
}

// A team is processes that are killed and begun again.
type team struct {
	t       *testing.T
	address string
	dir     string
	runs    int
	members map[string]*exec.Cmd
	said    map[string]*bytes.Buffer
}

func (x *team) start(name, role string) {
	x.t.Helper()
	cmd := exec.Command(os.Args[0])
	folder := x.dir
	if role == "server" {
		folder = filepath.Join(x.dir, "hub")
	}
	cmd.Env = append(os.Environ(), roleVar+"="+role, hubVar+"="+x.address, folderVar+"="+folder, runsVar+"="+strconv.Itoa(x.runs))
	b := &bytes.Buffer{}
	cmd.Stderr, cmd.Stdout = b, b
	if err := cmd.Start(); err != nil {
		x.t.Fatal(err)
	}
	x.members[name], x.said[name] = cmd, b
}

func (x *team) kill(name string) {
	x.members[name].Process.Kill()
	x.members[name].Wait()
}

// role is what a member's name begins with.
func role(name string) string { return strings.TrimRight(name, "0123456789") }

// free is an address that nobody listens at.
func free(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// Whoever is killed, and whenever: what is found in the end is what an undisturbed campaign on one machine finds.
func TestKilled(t *testing.T) {
	x := &team{t: t, address: free(t), dir: t.TempDir(), runs: 60 + 15*(*kills), members: map[string]*exec.Cmd{}, said: map[string]*bytes.Buffer{}}
	cfg := config(t, 5, x.runs)
	text, err := json.Marshal(cfg.Programs)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(x.dir, "programs.json"), text, 0o666); err != nil {
		t.Fatal(err)
	}
	names := []string{"server", "worker1", "worker2", "worker3", "submitter"}
	for _, name := range names {
		x.start(name, role(name))
		if name == "server" {
			x.listening()
		}
	}
	defer func() {
		for name := range x.members {
			x.kill(name)
		}
	}()
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	done := filepath.Join(x.dir, "found")
	for n := 0; n < *kills; n++ {
		time.Sleep(time.Duration(50+r.IntN(900)) * time.Millisecond)
		name := names[r.IntN(len(names))]
		x.kill(name)
		if _, err := os.Stat(done); err == nil && name == "submitter" {
			t.Logf("it came to its end after %d kills", n)
			break
		}
		x.start(name, role(name))
		if name == "server" {
			x.listening()
		}
	}
	for end := time.Now().Add(3 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		if _, err := os.Stat(done); err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("it does not come to its end; they said:\n%s", x.words())
		}
		// Who died of a server that was not there, or of a lease that was not over, is begun again.
		for _, name := range names {
			if x.members[name].ProcessState == nil && syscall.Kill(x.members[name].Process.Pid, 0) == nil && !zombie(x.members[name].Process.Pid) {
				continue
			}
			x.members[name].Wait()
			t.Logf("%s ended by itself: %s", name, x.said[name])
			x.start(name, role(name))
		}
	}
	got, err := os.ReadFile(done)
	if err != nil {
		t.Fatal(err)
	}
	other := *cfg
	other.Out = t.TempDir()
	if want := found(alone(t, &other, &fake{})); string(got) != want {
		t.Errorf("after %d kills:\n%s\nundisturbed:\n%s", *kills, got, want)
	}
	h, err := hub.Join(t.Context(), x.address, "")
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	// Each run is told of, and none of what was found is told twice.
	e := &events{}
	for x, err := range h.Read("killed").Events(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		e.all = append(e.all, x)
	}
	told := map[int]bool{}
	for _, n := range e.runs() {
		told[n] = true
	}
	if len(told) != cfg.Runs {
		t.Errorf("%d of %d runs were told of", len(told), cfg.Runs)
	}
	c, err := report.Collect(h.Read("killed").Events(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	for _, class := range c.Classes() {
		if class.Count != len(class.Findings) {
			t.Errorf("of %s %d findings were told of, there are %d", class.Class, len(class.Findings), class.Count)
		}
	}
}

// A wire is a network between a team and its hub, which can be cut.
type wire struct {
	to string
	l  net.Listener

	mu    sync.Mutex
	cond  *sync.Cond
	stall bool // nothing gets through, and nobody is told
	cut   bool // connections are refused
	conns map[net.Conn]bool
}

func newWire(t *testing.T, to string) *wire {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{to: to, l: l, conns: map[net.Conn]bool{}}
	w.cond = sync.NewCond(&w.mu)
	t.Cleanup(func() { l.Close(); w.set(false, true) })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go w.join(c)
		}
	}()
	return w
}

// set changes what gets through.
func (w *wire) set(stall, cut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stall, w.cut = stall, cut
	if cut {
		for c := range w.conns {
			c.Close()
		}
		clear(w.conns)
	}
	w.cond.Broadcast()
}

func (w *wire) join(c net.Conn) {
	far, err := net.Dial("tcp", w.to)
	w.mu.Lock()
	if err != nil || w.cut {
		w.mu.Unlock()
		c.Close()
		if far != nil {
			far.Close()
		}
		return
	}
	w.conns[c], w.conns[far] = true, true
	w.mu.Unlock()
	forward := func(to, from net.Conn) {
		defer to.Close()
		defer from.Close()
		b := make([]byte, 32<<10)
		for {
			n, err := from.Read(b)
			w.mu.Lock()
			for w.stall {
				w.cond.Wait()
			}
			w.mu.Unlock()
			if _, writeErr := to.Write(b[:n]); err != nil || writeErr != nil {
				return
			}
		}
	}
	go forward(far, c)
	forward(c, far)
}

// A network that is cut, or through which nothing comes for longer than a lease, changes nothing of what is found.
func TestCut(t *testing.T) {
	s, err := hub.Serve("127.0.0.1:0", t.TempDir(), shortLease, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	var wires []*wire
	far := func() *hub.Hub {
		w := newWire(t, s.Address)
		wires = append(wires, w)
		h, err := hub.Join(t.Context(), w.l.Addr().String(), "")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(h.Close)
		return h
	}
	for range 3 {
		works(t, far(), 2, &fake{takes: 40 * time.Millisecond})
	}
	cfg, submitter := config(t, 5, 300), far()
	over := make(chan struct{})
	var harm sync.WaitGroup
	harm.Go(func() {
		r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
		for n := 0; ; n++ {
			w := wires[n%len(wires)]
			w.set(n%2 == 0, n%2 == 1)
			select {
			case <-over:
			case <-time.After(shortLease + time.Duration(r.IntN(800))*time.Millisecond):
			}
			w.set(false, false)
			// It is left alone for longer and longer: on a busy machine less than a second may be too short for an answer.
			select {
			case <-over:
				return
			case <-time.After(time.Duration(r.IntN(300)+20*n) * time.Millisecond):
			}
		}
	})
	sum, _, err := submit(t, t.Context(), submitter, cfg)
	close(over)
	harm.Wait()
	if err != nil {
		t.Fatal(err)
	}
	other := *cfg
	other.Out = t.TempDir()
	if want, got := found(alone(t, &other, &fake{})), found(sum); got != want {
		t.Errorf("over a network that is cut:\n%s\nundisturbed:\n%s", got, want)
	}
}

// listening waits until the server answers.
func (x *team) listening() {
	x.t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if c, err := net.Dial("tcp", x.address); err == nil {
			c.Close()
			return
		}
	}
	x.t.Fatalf("the server does not listen: %s", x.said["server"])
}

// words are what the members said last.
func (x *team) words() string {
	text := ""
	for name, b := range x.said {
		text += name + ": " + b.String() + "\n"
	}
	return text
}

// zombie reports whether a process has ended and nobody has asked for it.
func zombie(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(text), ") Z ")
}

var smallDisk = flag.String("smalldisk", "", "a folder on a disk of a few MB, for TestDiskFull")

// The hub's disk is full for a while: what was found until then is there, and what could not be kept is kept later. It
// needs a disk of its own, such as one that mount -t tmpfs -o size=24m makes.
func TestDiskFull(t *testing.T) {
	if *smallDisk == "" {
		t.Skip("no small disk is given; see -smalldisk")
	}
	dir := filepath.Join(*smallDisk, "hub")
	s, err := hub.Serve("127.0.0.1:0", dir, shortLease, func(text string) { t.Log("hub:", text) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	works(t, joined(t, s), 3, &fake{takes: 20 * time.Millisecond})
	cfg := config(t, 5, 300)
	submitter := joined(t, s)
	ballast := filepath.Join(*smallDisk, "ballast")
	freed := make(chan struct{})
	go func() {
		defer close(freed)
		time.Sleep(time.Second)
		f, err := os.Create(ballast)
		if err != nil {
			t.Error(err)
			return
		}
		for err == nil {
			_, err = f.Write(make([]byte, 64<<10))
		}
		t.Log("the disk is full:", err)
		f.Close()
		time.Sleep(6 * time.Second)
		os.Remove(ballast)
		t.Log("there is room again")
	}()
	sum, _, err := submit(t, t.Context(), submitter, cfg)
	<-freed
	if err != nil {
		t.Fatal(err)
	}
	other := *cfg
	other.Out = t.TempDir()
	if want, got := found(alone(t, &other, &fake{})), found(sum); got != want {
		t.Errorf("with a disk that was full:\n%s\nundisturbed:\n%s", got, want)
	}
}
