package hub

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"misstep/campaign"
)

// A Worker takes jobs from a hub.
type Worker struct {
	Hub *Hub
	// Slots is how many jobs it does at a time.
	Slots int
	// Adapters are those that it has besides Delve.
	Adapters []string
	// Open makes what does the jobs of a campaign, and Close it away.
	Open func(campaign string) (w campaign.Worker, close func(), err error)
	// Tasks are what does tasks, by their kinds.
	Tasks map[string]TaskFunc
	// Say is told what happens.
	Say func(string)
	// Free reports whether there is memory for one more job; nil if that is not to be known.
	Free func() bool

	id      string
	alone   sync.RWMutex // held for writing by a job that is done alone
	mu      sync.Mutex
	opened  map[string]*opened            // by campaign
	running map[string]context.CancelFunc // by the names of the orders
	done    int
	// programs are those that it had last, by their contents' names.
	programs map[string]campaign.Content
}

// A Presence is a worker, as others see it.
type Presence struct {
	Name, System, Architecture string
	Adapters                   []string
	Slots, Busy, Done          int
	Since                      time.Time
}

// opened is what does the jobs of a campaign.
type opened struct {
	worker campaign.Worker
	close  func()
	users  int
	last   time.Time
}

// mostOpen is how many campaigns a worker keeps what it has built and recorded of.
const mostOpen = 2

// Run takes jobs until ctx ends. Jobs that it is at then go back into the queue.
func (w *Worker) Run(ctx context.Context) error {
	w.id = rand.Text()
	w.opened, w.running, w.programs = map[string]*opened{}, map[string]context.CancelFunc{}, map[string]campaign.Content{}
	queues, err := w.queues(ctx)
	if err != nil {
		return err
	}
	stops, err := w.Hub.nc.Subscribe(stopSubject+"*", func(m *nats.Msg) { w.stop(strings.TrimPrefix(m.Subject, stopSubject)) })
	if err != nil {
		return fmt.Errorf("listening for campaigns that end: %w", err)
	}
	defer stops.Unsubscribe()
	present, leave := context.WithCancel(context.WithoutCancel(ctx))
	var here, slots sync.WaitGroup
	here.Go(func() { w.present(present) })
	for range max(1, w.Slots) {
		slots.Go(func() { w.slot(ctx, queues) })
	}
	slots.Wait()
	leave()
	here.Wait()
	for _, o := range w.opened {
		o.close()
	}
	return nil
}

// queues are those of all jobs that this worker can do: one for each set of its adapters.
func (w *Worker) queues(ctx context.Context) ([]jetstream.Consumer, error) {
	slices.Sort(w.Adapters)
	sets := [][]string{nil}
	for _, a := range w.Adapters {
		for _, s := range slices.Clone(sets) {
			sets = append(sets, append(slices.Clone(s), a))
		}
	}
	var all []jetstream.Consumer
	for _, s := range sets {
		c, err := w.Hub.consumer(ctx, runtime.GOOS, runtime.GOARCH, adaptersPart(s))
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// present tells of this worker until ctx ends.
func (w *Worker) present(ctx context.Context) {
	host, _ := os.Hostname()
	p := Presence{Name: fmt.Sprintf("%s, process %d", host, os.Getpid()), System: runtime.GOOS, Architecture: runtime.GOARCH, Adapters: w.Adapters, Slots: w.Slots, Since: time.Now().UTC()}
	for {
		w.mu.Lock()
		p.Busy, p.Done = len(w.running), w.done
		w.mu.Unlock()
		once, cancel := context.WithTimeout(ctx, w.Hub.beat)
		if text, err := json.Marshal(p); err == nil {
			_, _ = w.Hub.workers.Put(once, w.id, text) // a hub that is away is told with the next beat
		}
		cancel()
		select {
		case <-time.After(w.Hub.beat):
		case <-ctx.Done():
			once, cancel := context.WithTimeout(context.WithoutCancel(ctx), w.Hub.beat)
			_ = w.Hub.workers.Delete(once, w.id) // else it runs out
			cancel()
			return
		}
	}
}

// stop ends the jobs of a campaign.
func (w *Worker) stop(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for order, cancel := range w.running {
		if strings.HasPrefix(order, name+".") {
			cancel()
		}
	}
}

// slot does one job after the other.
func (w *Worker) slot(ctx context.Context, queues []jetstream.Consumer) {
	failures := 0
	for turn := 0; ctx.Err() == nil; turn++ {
		if w.Free != nil && !w.Free() && w.busy() {
			pause(ctx, time.Second)
			continue
		}
		wait := 20 * time.Second
		if len(queues) > 1 {
			wait = time.Second
		}
		m, err := w.next(ctx, queues[turn%len(queues)], wait)
		if err != nil {
			// Without a job for so long, or without the hub: it comes back.
			if !errors.Is(err, nats.ErrTimeout) && !errors.Is(err, jetstream.ErrNoMessages) {
				pause(ctx, time.Second)
			}
			continue
		}
		if err := w.take(ctx, m); err != nil && ctx.Err() == nil {
			failures++
			w.Say(err.Error())
			pause(ctx, min(time.Duration(failures)*time.Second, w.Hub.lease))
		} else {
			failures = 0
		}
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

func (w *Worker) busy() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.running) > 0
}

// next is the next job of a queue.
func (w *Worker) next(ctx context.Context, c jetstream.Consumer, wait time.Duration) (jetstream.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	m, err := c.Next(jetstream.FetchContext(ctx))
	if err != nil && ctx.Err() != nil {
		err = nats.ErrTimeout
	}
	return m, err
}

// take does the job of a message, and answers it. Errors are this worker's.
func (w *Worker) take(ctx context.Context, m jetstream.Msg) error {
	o, err := parseOrder(m.Data())
	if err != nil {
		// It is thrown away. If that does not reach the hub it comes once more.
		_ = m.TermWithReason("malformed")
		w.Say(err.Error())
		return nil
	}
	meta, err := m.Metadata()
	if err != nil {
		return fmt.Errorf("an order that did not come from the queue: %w", err)
	}
	// It is done as long as the worker goes on and the campaign does.
	doing, cancel := context.WithCancel(ctx)
	defer cancel()
	w.mu.Lock()
	if w.running[o.Name] != nil {
		// The hub did not hear of it for long, and hands it out once more.
		w.mu.Unlock()
		return m.NakWithDelay(w.Hub.lease)
	}
	w.running[o.Name] = cancel
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		delete(w.running, o.Name)
		w.mu.Unlock()
	}()
	a := &attempt{hub: w.Hub, name: o.Name + "." + rand.Text()}
	stop := a.beat(doing, m)
	defer stop()
	keep := context.WithoutCancel(ctx)
	if !o.question() {
		was, _, err := w.Hub.get(doing, w.Hub.outcomes, o.Name)
		if err == nil && was != nil && !cutOff(was) {
			return w.Hub.acknowledge(keep, m)
		}
	}
	var last []words
	if meta.NumDelivered > 1 {
		if last, err = w.Hub.lastWords(doing, o.Name); err != nil {
			return errors.Join(err, m.NakWithDelay(time.Second))
		}
	}
	if len(last) >= mostAttempts {
		if err := w.Hub.setAside(keep, o, last); err != nil {
			return errors.Join(err, m.Nak())
		}
		w.Say(fmt.Sprintf("set aside: %s", o.what()))
		return w.Hub.acknowledge(keep, m)
	}
	if len(last) > 0 { // it may be what ended a worker
		w.alone.Lock()
		defer w.alone.Unlock()
	} else {
		w.alone.RLock()
		defer w.alone.RUnlock()
	}
	if err := a.begin(doing, o.what()); err != nil {
		return errors.Join(err, m.NakWithDelay(time.Second))
	}
	text, err := w.answer(doing, o)
	switch {
	case ctx.Err() != nil:
		// This worker ends: another takes it up.
		a.end(keep)
		return m.Nak()
	case err != nil && doing.Err() != nil:
		// The campaign ends, and has taken the job back.
		a.end(keep)
		return m.TermWithReason("taken back")
	case err != nil:
		a.failed(keep, err)
		return errors.Join(fmt.Errorf("%s: %w", o.what(), err), m.NakWithDelay(2*time.Second))
	}
	if o.question() {
		err = w.Hub.put(keep, w.Hub.answers, o.Name, text)
	} else {
		err = w.Hub.putOnce(keep, o.Name, text)
	}
	if err != nil {
		return errors.Join(err, m.Nak())
	}
	w.mu.Lock()
	w.done++
	w.mu.Unlock()
	a.end(keep)
	return w.Hub.acknowledge(keep, m)
}

// acknowledge takes a message out of the queue. Where that fails it is delivered once more, and its outcome is found
// to be there.
func (h *Hub) acknowledge(ctx context.Context, m jetstream.Msg) error {
	ctx, cancel := context.WithTimeout(ctx, h.lease)
	defer cancel()
	if err := m.DoubleAck(ctx); err != nil {
		return fmt.Errorf("telling the hub that a job is done: %w", err)
	}
	return nil
}

// question reports whether the answer is for whoever asks alone, and not an outcome.
func (o *order) question() bool { return o.Check || o.Task != nil }

// what is an order in a few words.
func (o *order) what() string {
	switch j := o.Job; {
	case o.Task != nil:
		return fmt.Sprintf("%s: %s", o.Campaign, o.Task.What)
	case o.Check:
		return fmt.Sprintf("campaign %s: whether %s works", o.Campaign, j.Engine)
	case j.Reduce != nil:
		return fmt.Sprintf("campaign %s: making an example of %s small", o.Campaign, j.Reduce.Class)
	default:
		return fmt.Sprintf("campaign %s: run %d, of %s", o.Campaign, j.Index, j.Run.Program.Name)
	}
}

// answer does an order.
func (w *Worker) answer(ctx context.Context, o *order) ([]byte, error) {
	worker, release, err := w.open(o.Campaign)
	if err != nil {
		return nil, err
	}
	defer release()
	if o.Task != nil {
		return w.task(ctx, o, worker)
	}
	j, err := w.filled(ctx, o)
	if err != nil {
		return nil, err
	}
	if o.Check {
		var c checked
		if c.Fit, err = worker.Check(ctx, j); err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			c.Failed = err.Error()
		}
		return json.Marshal(c)
	}
	out, err := worker.Do(ctx, j)
	if err != nil {
		return nil, err
	}
	return json.Marshal(out)
}

// open is what does a campaign's jobs, until it is released. What was used last is kept.
func (w *Worker) open(name string) (worker campaign.Worker, release func(), err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	o := w.opened[name]
	if o == nil {
		o = &opened{}
		if o.worker, o.close, err = w.Open(name); err != nil {
			return nil, nil, err
		}
		w.opened[name] = o
	}
	o.users++
	return o.worker, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		o.users--
		o.last = time.Now()
		for len(w.opened) > mostOpen {
			oldest := ""
			for n, x := range w.opened {
				if x.users == 0 && (oldest == "" || x.last.Before(w.opened[oldest].last)) {
					oldest = n
				}
			}
			if oldest == "" {
				return
			}
			w.opened[oldest].close()
			delete(w.opened, oldest)
		}
	}, nil
}
