package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"misstep/campaign"
)

// A Queue is a [campaign.Worker] whose jobs are done by whoever has joined the hub. It is of one campaign.
type Queue struct {
	hub  *Hub
	name string
	// Notice is told what one has to wait for.
	Notice func(string)

	mu      sync.Mutex
	waiting map[string]chan []byte // for answers, by name
	begun   map[string]bool        // attempts that were under way when it was looked last
	looked  time.Time
	stop    sync.Once
	waits   sync.Once // for the first answer to a task
	// answeredOnce is called when there is an answer to a task.
	answeredOnce context.CancelFunc
	watches      []jetstream.KeyWatcher
}

// Queue is the queue of a campaign.
func (h *Hub) Queue(ctx context.Context, name string) (*Queue, error) {
	q := &Queue{hub: h, name: name, Notice: func(string) {}, waiting: map[string]chan []byte{}}
	for _, kv := range []jetstream.KeyValue{h.outcomes, h.answers} {
		w, err := kv.Watch(ctx, name+".>", jetstream.UpdatesOnly(), jetstream.IgnoreDeletes())
		if err != nil {
			q.Close()
			return nil, fmt.Errorf("listening for outcomes: %w", err)
		}
		q.watches = append(q.watches, w)
		go func() {
			for e := range w.Updates() {
				if e != nil {
					q.tell(e.Key(), e.Value())
				}
			}
		}()
	}
	return q, nil
}

// Close ends the queue; its jobs go on.
func (q *Queue) Close() {
	for _, w := range q.watches {
		w.Stop()
	}
}

// tell hands an answer to who waits for it.
func (q *Queue) tell(name string, value []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if c := q.waiting[name]; c != nil {
		select {
		case c <- value:
		default: // one is there already
		}
	}
}

func (q *Queue) expect(name string) (answers <-chan []byte, forget func()) {
	c := make(chan []byte, 1)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting[name] = c
	return c, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		delete(q.waiting, name)
	}
}

// lookAgain is how often an answer is looked for that should have been told of.
const lookAgain = 20 * time.Second

// ask queues an order and waits for its answer. Done reports whether an answer that is there already will do.
func (q *Queue) ask(ctx context.Context, o *order, kv jetstream.KeyValue, done func([]byte) bool) ([]byte, error) {
	answers, forget := q.expect(o.Name)
	defer forget()
	was, revision, err := q.hub.get(ctx, kv, o.Name)
	if err != nil || was != nil && done(was) {
		return was, err
	}
	subject, err := o.subject()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(o)
	if err != nil {
		return nil, fmt.Errorf("writing a job: %w", err)
	}
	id := fmt.Sprintf("%s %d", o.Name, time.Now().UnixNano()) // for what is sent twice by the network
	err = q.hub.persist(ctx, "queueing a job", func(ctx context.Context) error {
		_, err := q.hub.js.Publish(ctx, subject, text, jetstream.WithMsgID(id))
		return err
	})
	if err != nil {
		return nil, err
	}
	for {
		select {
		case value := <-answers:
			return q.hub.unpack(context.WithoutCancel(ctx), value)
		case <-ctx.Done():
			return q.stopped(ctx, o, kv, answers)
		case <-time.After(lookAgain):
			now, r, err := q.hub.get(ctx, kv, o.Name)
			if err == nil && now != nil && r != revision {
				return now, nil
			}
		}
	}
}

// grace is how long workers have to end what they are at when a campaign's time is up: what was found is
// tried once more by then.
const grace = 45 * time.Second

// stopped takes the campaign's orders back, and waits for those that were begun.
func (q *Queue) stopped(ctx context.Context, o *order, kv jetstream.KeyValue, answers <-chan []byte) ([]byte, error) {
	keep, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if o.Task != nil { // half a task says nothing
		q.stop.Do(func() { q.hub.takeBack(keep, q.name) })
		return nil, context.Cause(ctx)
	}
	began := time.Now()
	q.stop.Do(func() {
		q.Notice(fmt.Sprintf("waiting for what workers are at, for %s at most", grace))
		q.hub.takeBack(keep, q.name)
	})
	for {
		select {
		case value := <-answers:
			return q.hub.unpack(keep, value)
		case <-keep.Done():
			return nil, context.Cause(ctx)
		case <-time.After(500 * time.Millisecond):
			if !q.hub.nc.IsConnected() && time.Since(began) > inHurry {
				return nil, context.Cause(ctx)
			}
			if !q.underWay(keep, o.Name) {
				// It may have ended between the two questions.
				if now, _, err := q.hub.get(keep, kv, o.Name); err == nil && now != nil {
					return now, nil
				}
				return nil, context.Cause(ctx)
			}
		}
	}
}

// takeBack takes a campaign's orders out of the queue, and asks workers to come to an end with those that they have.
func (h *Hub) takeBack(ctx context.Context, name string) {
	// Where this fails the jobs are done in vain.
	_ = h.jobs.Purge(ctx, jetstream.WithPurgeSubject(jobSubject+"*.*.*."+name))
	_ = h.nc.Publish(stopSubject+name, nil)
	_ = h.nc.FlushWithContext(ctx)
}

// underWay reports whether somebody is at work on an order.
func (q *Queue) underWay(ctx context.Context, name string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if time.Since(q.looked) > 400*time.Millisecond {
		all, err := q.hub.keys(ctx, q.hub.attempts, q.name+".>")
		if err != nil {
			return true
		}
		q.begun, q.looked = map[string]bool{}, time.Now()
		for _, key := range all {
			q.begun[key[:strings.LastIndexByte(key, '.')]] = true
		}
	}
	return q.begun[name]
}

// Do implements [campaign.Worker].
func (q *Queue) Do(ctx context.Context, j *campaign.Job) (*campaign.Outcome, error) {
	key, err := j.Key()
	if err != nil {
		return nil, err
	}
	o, err := q.hub.order(ctx, q.name, j)
	if err != nil {
		return nil, err
	}
	o.Name = outcomeName(q.name, j.Index, key)
	text, err := q.ask(ctx, o, q.hub.outcomes, func(was []byte) bool { return !cutOff(was) })
	if err != nil {
		return nil, err
	}
	out := &campaign.Outcome{}
	if err := json.Unmarshal(text, out); err != nil {
		return nil, fmt.Errorf("reading an outcome from the hub: %w", err)
	}
	if out.Key != key {
		return nil, fmt.Errorf("the hub has the outcome of another job, %.80q, in the place of %s", out.Key, key)
	}
	return out, nil
}

// cutOff reports whether an outcome is of a run that was cut off, which another may replace.
func cutOff(text []byte) bool {
	var o struct{ Run *struct{ Cut bool } }
	return json.Unmarshal(text, &o) == nil && o.Run != nil && o.Run.Cut
}

// Check implements [campaign.Worker].
func (q *Queue) Check(ctx context.Context, j *campaign.Job) (fit bool, err error) {
	o, err := q.hub.order(ctx, q.name, j)
	if err != nil {
		return false, err
	}
	key, err := j.Key()
	if err != nil {
		return false, err
	}
	o.Check = true
	o.Name = fmt.Sprintf("%s.check-%d.%s", q.name, time.Now().UnixNano(), key)
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	go q.missing(waiting, o)
	text, err := q.ask(ctx, o, q.hub.answers, func([]byte) bool { return true })
	if err != nil {
		return false, err
	}
	var c checked
	if err := json.Unmarshal(text, &c); err != nil {
		return false, fmt.Errorf("reading an answer from the hub: %w", err)
	}
	if c.Failed != "" {
		return false, errors.New(c.Failed)
	}
	return c.Fit, nil
}

// missing says that no worker is there that could do an order, as long as there is none.
func (q *Queue) missing(ctx context.Context, o *order) {
	for wait := 3 * time.Second; ; wait = 30 * time.Second {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		if q.Capacity(ctx) > 0 {
			continue
		}
		adapters, err := o.needs()
		if err != nil {
			return
		}
		q.Notice(fmt.Sprintf("no worker has joined that is %s/%s and has %s; start one with misstep work --join", runtime.GOOS, runtime.GOARCH, strings.ReplaceAll(adapters, "_", " and ")))
	}
}

// Capacity is how many jobs the workers that are there now do at a time.
func (q *Queue) Capacity(ctx context.Context) int {
	there, err := q.hub.Workers(ctx)
	if err != nil {
		return 0
	}
	n := 0
	for _, w := range there {
		if w.System == runtime.GOOS && w.Architecture == runtime.GOARCH {
			n += w.Slots
		}
	}
	return n
}

// Workers are those that have joined, by their names.
func (h *Hub) Workers(ctx context.Context) ([]Presence, error) {
	all, err := h.keys(ctx, h.workers, ">")
	if err != nil {
		return nil, err
	}
	slices.Sort(all)
	var there []Presence
	for _, key := range all {
		text, _, err := h.get(ctx, h.workers, key)
		if err != nil {
			return nil, err
		}
		var p Presence
		if text != nil && json.Unmarshal(text, &p) == nil {
			there = append(there, p)
		}
	}
	return there, nil
}
