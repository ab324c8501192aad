// Package board serves the pages of a hub: what campaigns and workers it has, and the page of each campaign, which
// renews itself while the campaign goes on.
//
// A board on this machine alone answers whoever asks it by a name of this machine. Beyond it connections are encrypted
// with the hub's certificate, and whoever comes has to have the board's link, which misstep serve prints: its key is
// exchanged for a cookie that no script can read. Nothing can be changed by the pages.
package board

import (
	"bytes"
	"context"
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"fmt"
	"hash/fnv"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"misstep/campaign/hub"
	"misstep/report"
)

// A Board serves pages until it is closed.
type Board struct {
	// Link is what to open.
	Link string

	hub  *hub.Hub
	key  string // empty on this machine alone
	http *http.Server
	done sync.WaitGroup

	mu    sync.Mutex
	pages map[string]*page
	over  map[string]*report.Campaign // those that came to their end, which change no more
}

// A page is a campaign's as it was rendered last.
type page struct {
	mu   sync.Mutex
	tag  string
	text []byte
	at   time.Time
}

// DefaultAddress is where a board listens if nothing else is said: on this machine alone.
const DefaultAddress = "127.0.0.1:4251"

const (
	cookie = "misstep"
	// often is how often a campaign's page is rendered at most.
	often = time.Second
	// mostBefore bounds the campaigns that a page holds against its own.
	mostBefore = 6
)

// Serve serves the pages of a hub. The certificate and the key are for an address beyond this machine, see
// [hub.Server.Guard]; config is nil, and the key empty, for one on it.
func Serve(listen string, h *hub.Hub, config *tls.Config, key string) (*Board, error) {
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, fmt.Errorf("serving the pages: %w", err)
	}
	b := &Board{hub: h, key: key, pages: map[string]*page{}, over: map[string]*report.Campaign{}, Link: "http://" + l.Addr().String() + "/"}
	if config != nil {
		l = tls.NewListener(l, config)
		b.Link = "https://" + l.Addr().String() + "/?key=" + key
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", b.index)
	mux.HandleFunc("GET /campaign/{name}", b.campaign)
	b.http = &http.Server{
		Handler: b.guarded(mux), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 20 * time.Second, WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 16 << 10, ErrorLog: log.New(discard{}, "", 0),
	}
	b.done.Go(func() { _ = b.http.Serve(l) }) // it ends with Close
	return b, nil
}

// discard is where the server's complaints about its clients go.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// Close ends the board.
func (b *Board) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if b.http.Shutdown(ctx) != nil {
		b.http.Close()
	}
	b.done.Wait()
}

// guarded lets in who may come.
func (b *Board) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("X-Frame-Options", "DENY")
		head.Set("Referrer-Policy", "no-referrer")
		head.Set("Cache-Control", "no-store")
		if b.key == "" {
			// A page elsewhere whose name is made to mean this machine is not to read from here.
			if host, _, err := net.SplitHostPort(r.Host); err != nil || !hub.Loopback(host) {
				http.Error(w, "this board answers to names of this machine alone", http.StatusForbidden)
				return
			}
			next.ServeHTTP(w, r)
			return
		}
		if given := r.URL.Query().Get("key"); given != "" && same(given, b.key) {
			http.SetCookie(w, &http.Cookie{Name: cookie, Value: b.key, Path: "/", HttpOnly: true, Secure: true, SameSite: http.SameSiteStrictMode, MaxAge: 30 * 24 * 3600})
			http.Redirect(w, r, r.URL.Path, http.StatusSeeOther)
			return
		}
		if c, err := r.Cookie(cookie); err != nil || !same(c.Value, b.key) {
			http.Error(w, "open the link that misstep serve prints", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

func (b *Board) index(w http.ResponseWriter, r *http.Request) {
	all, err := b.hub.Campaigns(r.Context())
	there, workersErr := b.hub.Workers(r.Context())
	if err := errors.Join(err, workersErr); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	board := &report.Board{}
	for _, c := range all {
		board.Campaigns = append(board.Campaigns, report.Listed{Name: c.Name, By: c.By, Begun: c.Begun, Complete: c.Complete})
	}
	for _, x := range there {
		board.Workers = append(board.Workers, report.Present{Name: x.Name, Kind: x.System + "/" + x.Architecture, Adapters: x.Adapters, Busy: x.Busy, Slots: x.Slots, Done: x.Done, Since: x.Since})
	}
	var text bytes.Buffer
	if err := board.Write(&text); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(text.Bytes()) // whoever asked is gone if that fails
}

func (b *Board) campaign(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	all, err := b.hub.Campaigns(r.Context())
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	at := -1
	for i, c := range all {
		if c.Name == name {
			at = i
		}
	}
	if at < 0 {
		http.Error(w, "the hub has no such campaign", http.StatusNotFound)
		return
	}
	b.mu.Lock()
	p := b.pages[name]
	if p == nil {
		p = &page{}
		b.pages[name] = p
	}
	b.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.at) >= often {
		count, err := b.hub.Told(r.Context(), name)
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		h := fnv.New64a()
		fmt.Fprint(h, name, count)
		if tag := fmt.Sprintf("\"%x\"", h.Sum64()); tag != p.tag {
			text, err := b.render(r.Context(), all, at)
			if err != nil {
				http.Error(w, err.Error(), http.StatusServiceUnavailable)
				return
			}
			p.tag, p.text = tag, text
		}
		p.at = time.Now()
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("ETag", p.tag)
	if r.Header.Get("If-None-Match") == p.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	_, _ = w.Write(p.text)
}

// render renders a campaign's page, with those over the same programs that came before it.
func (b *Board) render(ctx context.Context, all []hub.Listed, at int) ([]byte, error) {
	var earlier []*report.Campaign
	for _, c := range all[at+1:] {
		if len(earlier) == mostBefore {
			break
		}
		if c.Complete && c.Over == all[at].Over {
			before, err := b.before(ctx, c.Name)
			if err != nil {
				return nil, err
			}
			earlier = append(earlier, before)
		}
	}
	var text bytes.Buffer
	err := report.Render(b.hub.Read(all[at].Name).Events(ctx), report.Live(&text, earlier...))
	if err == nil && text.Len() == 0 {
		return []byte("nothing has happened yet; look again"), nil
	}
	return text.Bytes(), err
}

// before is a campaign that came to its end.
func (b *Board) before(ctx context.Context, name string) (*report.Campaign, error) {
	b.mu.Lock()
	c := b.over[name]
	b.mu.Unlock()
	if c != nil {
		return c, nil
	}
	c, err := report.Collect(b.hub.Read(name).Events(ctx))
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.over[name] = c
	return c, nil
}
