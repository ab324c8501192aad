package hub

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"misstep/campaign"
)

// An attempt is a worker's at a job. It is noted on the hub as long as it goes on; of one that did not come to an end
// what was heard last stays there.
type attempt struct {
	hub  *Hub
	name string

	mu    sync.Mutex
	begun time.Time
	what  string
}

// words are what is noted of an attempt.
type words struct {
	By    string
	What  string
	Begun time.Time
	Heard time.Time
	// Memory is what the worker used when it was heard of, in bytes; 0 if that is not known.
	Memory uint64 `json:",omitempty"`
	// Failed is the worker's error; empty if it was not heard of any more.
	Failed string `json:",omitempty"`
}

func (w words) String() string {
	if w.Failed != "" {
		return fmt.Sprintf("%s failed: %s", w.By, w.Failed)
	}
	memory := ""
	if w.Memory > 0 {
		memory = fmt.Sprintf(", when its machine had %d MB of memory left", w.Memory>>20)
	}
	return fmt.Sprintf("%s was not heard of any more %s after it had begun%s", w.By, w.Heard.Sub(w.Begun).Round(time.Second), memory)
}

// beat prolongs the lease, and from its beginning on tells that the attempt goes on, until it is stopped.
func (a *attempt) beat(ctx context.Context, m jetstream.Msg) (stop func()) {
	return a.hub.beating(ctx, func(ctx context.Context) bool {
		_ = m.InProgress() // a hub that does not hear of it hands the job to another
		a.mu.Lock()
		defer a.mu.Unlock()
		if !a.begun.IsZero() {
			_ = a.note(ctx, "")
		}
		return true
	})
}

// note says what there is to say of the attempt now. The caller has the lock.
func (a *attempt) note(ctx context.Context, failed string) error {
	text, err := json.Marshal(words{By: here(), What: a.what, Begun: a.begun, Heard: time.Now().UTC(), Memory: available(), Failed: failed})
	if err != nil {
		return fmt.Errorf("writing of an attempt: %w", err)
	}
	_, err = a.hub.attempts.Put(ctx, a.name, text)
	return err
}

func (a *attempt) begin(ctx context.Context, what string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.begun, a.what = time.Now().UTC(), what
	return a.hub.persist(ctx, "noting an attempt", func(ctx context.Context) error { return a.note(ctx, "") })
}

// end says that the attempt came to its end, however.
func (a *attempt) end(ctx context.Context) {
	a.mu.Lock()
	a.begun = time.Time{} // no heartbeat brings it back
	a.mu.Unlock()
	// If this fails the job is in the queue no more, so nobody counts it.
	_ = a.hub.persist(ctx, "ending an attempt", func(ctx context.Context) error { return a.hub.attempts.Purge(ctx, a.name) })
}

// failed says that the worker could not do it.
func (a *attempt) failed(ctx context.Context, why error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	// If this fails it looks as if the worker had died, which counts as much.
	_ = a.hub.persist(ctx, "noting a failure", func(ctx context.Context) error { return a.note(ctx, why.Error()) })
	a.begun = time.Time{}
}

// lastWords are those of the attempts at an order that did not come to their end.
func (h *Hub) lastWords(ctx context.Context, name string) ([]words, error) {
	all, err := h.keys(ctx, h.attempts, name+".*")
	if err != nil {
		return nil, err
	}
	var list []words
	for _, key := range all {
		text, _, err := h.get(ctx, h.attempts, key)
		if err != nil {
			return nil, err
		}
		var w words
		if text != nil && json.Unmarshal(text, &w) == nil {
			list = append(list, w)
		}
	}
	slices.SortFunc(list, func(a, b words) int { return a.Begun.Compare(b.Begun) })
	return list, nil
}

// setAside puts the outcome of a job that nobody could do.
func (h *Hub) setAside(ctx context.Context, o *order, last []words) error {
	var said []string
	for _, w := range last {
		said = append(said, w.String())
	}
	why := fmt.Sprintf("set aside after %d attempts: %s", len(last), strings.Join(said, "; "))
	var answer any
	switch j := o.Job; {
	case o.Task != nil:
		answer = answered{Failed: why}
	case o.Check && slices.ContainsFunc(last, func(w words) bool { return w.Failed == "" }):
		answer = checked{} // the program ends workers, and says nothing of the engine: its run will say so
	case o.Check:
		answer = checked{Failed: why}
	default:
		key := o.Name[strings.LastIndexByte(o.Name, '.')+1:]
		out := &campaign.Outcome{Key: key, Index: j.Index}
		if j.Reduce != nil {
			out.Reduction = &campaign.Reduction{Reduced: campaign.Reduced{Class: j.Reduce.Class, Failed: why}}
		} else {
			out.Run = &campaign.Run{Index: j.Index, Program: j.Run.Program.Name, Seed: j.Run.Seed, Aside: why}
		}
		answer = out
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return fmt.Errorf("writing of a job that is set aside: %w", err)
	}
	if o.question() {
		err = h.put(ctx, h.answers, o.Name, text)
	} else {
		err = h.putOnce(ctx, o.Name, text)
	}
	if err != nil {
		return err
	}
	all, err := h.keys(ctx, h.attempts, o.Name+".*")
	for _, key := range all {
		_ = h.attempts.Purge(ctx, key) // else it goes with its time
	}
	return err
}
