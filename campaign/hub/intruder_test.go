package hub_test

import (
	"crypto/tls"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"misstep/campaign"
	"misstep/campaign/hub"
)

// Without the team's key nobody comes in, and nothing is sent in the clear.
func TestIntruders(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, "0.0.0.0:0", dir)
	_, port, _ := strings.Cut(s.Address, "]:")
	if port == "" {
		port = s.Address[strings.LastIndexByte(s.Address, ':')+1:]
	}
	address := "127.0.0.1:" + port
	if info, err := os.Stat(s.Key); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the team's key: %v, %v", info, err)
	}
	if text, err := os.ReadFile(s.Key); err != nil || strings.Contains(string(text), "PRIVATE") {
		t.Errorf("the team's file has the hub's own key, or is not to be read: %v", err)
	}
	other := serve(t, "0.0.0.0:0", t.TempDir())
	open := &tls.Config{InsecureSkipVerify: true}
	own, err := hub.ReadCredentials(other.Key)
	if err != nil {
		t.Fatal(err)
	}
	for name, dial := range map[string]func() error{
		"no key": func() error {
			_, err := hub.Join(t.Context(), address, "")
			return err
		},
		"the key of another team": func() error {
			_, err := hub.Join(t.Context(), address, other.Key)
			return err
		},
		"in the clear": func() error {
			nc, err := nats.Connect("nats://" + address)
			if err == nil {
				nc.Close()
			}
			return err
		},
		"encrypted, without a key": func() error {
			nc, err := nats.Connect("tls://"+address, nats.Secure(open))
			if err == nil {
				nc.Close()
			}
			return err
		},
		"encrypted, with another key": func() error {
			return own.Dial("tls://"+address, open)
		},
		"encrypted, with a password": func() error {
			nc, err := nats.Connect("tls://"+address, nats.Secure(open), nats.UserInfo("admin", "admin"))
			if err == nil {
				nc.Close()
			}
			return err
		},
	} {
		// A hub on loopback asks for no key, one on all addresses does, from wherever it is asked.
		if err := dial(); err == nil {
			t.Errorf("%s: it lets somebody in", name)
		}
	}
	h, err := hub.Join(t.Context(), address, s.Key)
	if err != nil {
		t.Fatal(err)
	}
	h.Close()
	// The same folder has the same key.
	s.Close()
	again := serve(t, "0.0.0.0:"+port, dir)
	if h, err = hub.Join(t.Context(), address, again.Key); err != nil {
		t.Fatal(err)
	}
	h.Close()
}

// What is no order is thrown away, and the worker goes on.
func TestMalformed(t *testing.T) {
	s := serve(t, "127.0.0.1:0", t.TempDir())
	h := joined(t, s)
	works(t, joined(t, s), 2, &fake{})
	for _, text := range malformed(t) {
		if err := h.Queued(t.Context(), "linux.amd64.dlv.x", []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	sum, _, err := submit(t, t.Context(), joined(t, s), config(t, 2, 6))
	if err != nil || sum.Runs != 6 {
		t.Errorf("%+v, %v", sum, err)
	}
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		n, err := h.Left(t.Context())
		if err != nil || time.Now().After(end) {
			t.Fatalf("%d orders are left, %v", n, err)
		}
		if n == 0 {
			break
		}
	}
}

// malformed are texts in the place of an order.
func malformed(t testing.TB) []string {
	content := strings.Repeat("a", 64)
	good := map[string]any{
		"Campaign": "x", "Name": "x.1.k", "Content": content,
		"Job": &campaign.Job{Engine: "dlv", Run: &campaign.RunJob{}},
	}
	var list []string
	add := func(key string, value any) {
		changed := map[string]any{}
		for k, v := range good {
			changed[k] = v
		}
		changed[key] = value
		text, err := json.Marshal(changed)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, string(text))
	}
	add("Campaign", "X*>")
	add("Name", "other.1.k")
	add("Name", "x.>")
	add("Content", "")
	add("Content", "../../etc/passwd")
	add("Job", nil)
	add("Job", &campaign.Job{Engine: "dlv"})
	add("Job", &campaign.Job{Engine: "dlv=/bin/sh", Run: &campaign.RunJob{}})
	add("Job", &campaign.Job{Engine: "/etc/passwd.toml", Run: &campaign.RunJob{}})
	add("Job", &campaign.Job{Engine: "dlv", Against: []string{"lldb-dap=./x"}, Run: &campaign.RunJob{}})
	add("Job", &campaign.Job{Engine: "dlv", Baseline: "dlv=x", Run: &campaign.RunJob{}})
	add("Job", &campaign.Job{Engine: "dlv", Reduce: &campaign.ReductionJob{Workers: 1e9}})
	add("Job", &campaign.Job{Engine: "dlv", Reduce: &campaign.ReductionJob{Budget: 1e18}})
	add("Task", &hub.Task{Kind: "conform"}) // a job and a task
	delete(good, "Job")
	add("Task", nil)
	add("Task", &hub.Task{})
	add("Task", &hub.Task{Kind: strings.Repeat("k", 100)})
	add("Task", &hub.Task{Kind: "conform", What: strings.Repeat("w", 1000)})
	add("Task", &hub.Task{Kind: "conform", Engines: []string{"dlv=/bin/sh"}})
	good["Task"] = &hub.Task{Kind: "conform"}
	add("Content", "../../etc/passwd")
	add("Check", true)
	return append(list, "", "{", "null", "[]", "\x00\xff", strings.Repeat("[", 100_000))
}

// Files of credentials that are none are told so.
func TestCredentials(t *testing.T) {
	s := serve(t, "0.0.0.0:0", t.TempDir())
	good, err := os.ReadFile(s.Key)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"empty": "", "text": "hello", "half": string(good[:len(good)/2]), "without its end": string(good[:len(good)-5]),
		"broken": strings.ReplaceAll(string(good), "A", "B"),
	} {
		file := filepath.Join(t.TempDir(), "team.key")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := hub.Join(t.Context(), s.Address, file); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzOrder(f *testing.F) {
	for _, text := range malformed(f) {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { _ = hub.ParseOrder(text) })
}

func FuzzCredentials(f *testing.F) {
	f.Add([]byte("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n"))
	f.Fuzz(func(t *testing.T, text []byte) { _, _ = hub.ParseCredentials(text) })
}
