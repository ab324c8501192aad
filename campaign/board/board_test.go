package board_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"
	"time"

	"misstep/campaign"
	"misstep/campaign/board"
	"misstep/campaign/hub"
	"misstep/finding"
	"misstep/internal/browser"
)

func serve(t *testing.T, address string) (*hub.Server, *hub.Hub) {
	t.Helper()
	s, err := hub.Serve(address, t.TempDir(), hub.DefaultLease, func(text string) { t.Log(text) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	h, err := s.Join(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return s, h
}

// begin begins a campaign, and returns what tells of its events.
func begin(t *testing.T, h *hub.Hub, name string) func(campaign.Event) {
	t.Helper()
	if _, err := h.Find(t.Context(), name, strings.Repeat("a", 60)+name, "corpus"); err != nil {
		t.Fatal(err)
	}
	s := h.Read(name)
	return func(e campaign.Event) {
		t.Helper()
		e.Version, e.At = campaign.EventVersion, time.Now()
		if err := s.Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		if e.Summary != nil && e.Summary.Complete {
			if err := s.Note(t.Context(), campaign.NotedComplete, "now"); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func found(class string, n int) campaign.Event {
	return campaign.Event{Type: "finding", Finding: &campaign.Found{Index: n, What: &finding.Finding{
		Oracle: "reference", Rule: "R7-log", Class: finding.Class{Rule: class, Action: "next"}, Severity: finding.False, Program: "p", Reason: "So it is.",
	}}}
}

func summary(classes ...string) campaign.Event {
	s := &campaign.Summary{Complete: true, Runs: len(classes)}
	for _, c := range classes {
		s.Causes = append(s.Causes, campaign.Cause{Count: 1, Classes: []campaign.ClassCount{{Class: c, Count: 1, Reason: "So it is.", Severity: finding.False}}})
	}
	return campaign.Event{Type: "summary", Summary: s}
}

// A page is renewed while its campaign goes on; what was opened stays so.
func TestLive(t *testing.T) {
	_, h := serve(t, "127.0.0.1:0")
	b, err := board.Serve("127.0.0.1:0", h, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	before := begin(t, h, "before")
	before(campaign.Event{Type: "start", Start: &campaign.Start{Engine: "dlv@v1.27.2"}})
	before(found("gone", 1))
	before(summary("gone/next"))
	tell := begin(t, h, "now")
	tell(campaign.Event{Type: "start", Start: &campaign.Start{Engine: "dlv@v1.27.2", Runs: 9}})
	tell(campaign.Event{Type: "run", Run: &campaign.Run{Index: 1, Sessions: 3}})
	tell(found("one", 1))

	w := browser.New(t)
	w.Open(b.Link)
	w.Until("document.querySelectorAll('tbody tr').length === 2")
	w.Eval("[...document.querySelectorAll('a')].find(a => a.textContent === 'now').click()")
	w.Until("document.documentElement.dataset.ready === 'true' && document.querySelectorAll('.class').length === 1")
	w.Eval("document.querySelector('.class summary').click()")
	w.Until("document.querySelector('.class').open")
	tell(found("another", 2))
	w.Until("document.querySelectorAll('.class').length === 2")
	if !browser.Get[bool](w, "[...document.querySelectorAll('.class')].find(c => c.textContent.includes('one/next')).open") {
		t.Error("what was opened was closed when the page was renewed")
	}
	w.Press("/")
	w.Enter("filter", "another")
	w.Until("document.getElementById('matches').textContent === '1 of 2 classes'")
	tell(summary("one/next", "another/next"))
	w.Press("\x1b")
	w.Until("!document.documentElement.dataset.live && document.querySelector('tr.this') !== null")
	if text := browser.Get[string](w, "document.querySelector('tr.this').innerText"); !strings.Contains(text, "gone/next") || !strings.Contains(text, "one/next") {
		t.Errorf("what came and is gone: %q", text)
	}
	w.Quiet()
}

// Who does not have the board's link sees nothing, and nothing comes in the clear.
func TestGuard(t *testing.T) {
	s, h := serve(t, "0.0.0.0:0")
	config, key, err := s.Guard()
	if err != nil {
		t.Fatal(err)
	}
	b, err := board.Serve("127.0.0.1:0", h, config, key)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	address, _, _ := strings.Cut(strings.TrimPrefix(b.Link, "https://"), "/")
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	get := func(url string) (int, string) {
		t.Helper()
		r, err := client.Get(url)
		if err != nil {
			return 0, err.Error()
		}
		defer r.Body.Close()
		text, _ := io.ReadAll(r.Body)
		return r.StatusCode, string(text)
	}
	for _, path := range []string{"/", "/campaign/x", "/?key=", "/?key=wrong", "/campaign/..%2f..", "/?key=" + strings.Repeat("a", 5000)} {
		if code, text := get("https://" + address + path); code != http.StatusUnauthorized {
			t.Errorf("%s: %d %s", path, code, text)
		}
	}
	if code, text := get("http://" + address + "/"); code == http.StatusOK || strings.Contains(text, "<html") {
		t.Errorf("in the clear: %d %s", code, text)
	}
	client.Jar = jar
	if code, text := get(b.Link); code != http.StatusOK || !strings.Contains(text, "<h2>Campaigns</h2>") {
		t.Errorf("with the link: %d %s", code, text)
	}
	if code, _ := get("https://" + address + "/campaign/none"); code != http.StatusNotFound {
		t.Errorf("a campaign that is not there: %d", code)
	}
}

// A board on this machine does not answer to names that others give it.
func TestRebound(t *testing.T) {
	_, h := serve(t, "127.0.0.1:0")
	b, err := board.Serve("127.0.0.1:0", h, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for host, want := range map[string]int{"evil.example:4251": 403, "evil.example": 403, "localhost:1": 200} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.Link, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("%s: %s", host, fmt.Sprint(answer.StatusCode))
		}
	}
}
