package hub

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"misstep/campaign"
)

// A Listed is what the hub says of a campaign.
type Listed struct {
	Name string
	// Identity is [campaign.Config.Identity], by which who goes on with it finds it.
	Identity string
	// Over are its programs, as they were named: campaigns over the same are held against each other.
	Over  string
	Begun time.Time
	// By is who began it.
	By string
	// Complete says that it came to its end.
	Complete bool
}

// Campaigns are all that the hub has, those begun last first.
func (h *Hub) Campaigns(ctx context.Context) ([]Listed, error) {
	all, err := h.keys(ctx, h.campaigns, ">")
	if err != nil {
		return nil, err
	}
	var list []Listed
	for _, key := range all {
		text, _, err := h.get(ctx, h.campaigns, key)
		if err != nil {
			return nil, err
		}
		var l Listed
		if text == nil || json.Unmarshal(text, &l) != nil {
			continue
		}
		complete, _, err := h.get(ctx, h.notes, noteName(l.Name, campaign.NotedComplete))
		if err != nil {
			return nil, err
		}
		l.Complete = len(complete) > 0
		list = append(list, l)
	}
	slices.SortFunc(list, func(a, b Listed) int {
		if c := b.Begun.Compare(a.Begun); c != 0 {
			return c
		}
		return strings.Compare(a.Name, b.Name)
	})
	return list, nil
}

// Find is the campaign with these settings to go on with, or a new one: one that came to its end is kept as it is. A
// name, if not empty, is that of a campaign to begin or to go on with.
func (h *Hub) Find(ctx context.Context, name, identity, over string) (string, error) {
	all, err := h.Campaigns(ctx)
	if err != nil {
		return "", err
	}
	if name != "" {
		if !names.MatchString(name) {
			return "", fmt.Errorf("the campaign %q: expected small letters, digits and dashes, 64 at most", name)
		}
		for _, l := range all {
			if l.Name == name && (l.Complete || l.Identity != identity) {
				why := "it has other settings"
				if l.Complete {
					why = "it came to its end"
				}
				return "", fmt.Errorf("the hub has a campaign %s already, and %s; name another", name, why)
			}
		}
	} else {
		taken := map[string]bool{}
		for _, l := range all {
			if l.Identity == identity && !l.Complete {
				return l.Name, nil
			}
			taken[l.Name] = true
		}
		name = identity[:8]
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s-%d", identity[:8], n)
		}
	}
	l := Listed{Name: name, Identity: identity, Over: over, Begun: time.Now().UTC(), By: here()}
	text, err := json.Marshal(l)
	if err != nil {
		return "", fmt.Errorf("writing what the campaign is: %w", err)
	}
	err = h.persist(ctx, "beginning a campaign on the hub", func(ctx context.Context) error {
		_, err := h.campaigns.Create(ctx, name, text)
		return err
	})
	if errors.Is(err, jetstream.ErrKeyExists) {
		err = nil // it was named, or somebody else was faster
	}
	return name, err
}

// here is this process, as others are told of it.
func here() string {
	host, err := os.Hostname()
	if err != nil {
		host = "somewhere"
	}
	return fmt.Sprintf("%s, process %d", host, os.Getpid())
}

// A Store is a [campaign.Store] on the hub.
type Store struct {
	hub  *Hub
	name string

	mu      sync.Mutex
	failed  error // of an event that was sent
	leases  map[string]time.Time
	sending sync.WaitGroup // events that the hub has not acknowledged

	release func()
}

// Store opens a campaign's store for who submits it, whom there is one of. Lost is called if another took its place,
// as happens when the hub did not hear of this one for long.
func (h *Hub) Store(ctx context.Context, name string, lost func(error)) (*Store, error) {
	s := h.Read(name)
	var err error
	if s.release, err = h.hold(ctx, name, lost); err != nil {
		return nil, err
	}
	return s, nil
}

// Read opens a campaign's store to read it.
func (h *Hub) Read(name string) *Store {
	return &Store{hub: h, name: name, leases: map[string]time.Time{}, release: func() {}}
}

// Put implements [campaign.Store].
func (s *Store) Put(ctx context.Context, o *campaign.Outcome) error {
	text, err := json.Marshal(o)
	if err != nil {
		return fmt.Errorf("writing an outcome: %w", err)
	}
	return s.hub.putOnce(ctx, outcomeName(s.name, o.Index, o.Key), text)
}

// putOnce puts an outcome that is not there, or that was cut off.
func (h *Hub) putOnce(ctx context.Context, name string, text []byte) error {
	for {
		was, revision, err := h.get(ctx, h.outcomes, name)
		if err != nil || was != nil && (!cutOff(was) || string(was) == string(text)) {
			return err
		}
		value, err := h.pack(ctx, text)
		if err != nil {
			return err
		}
		err = h.persist(ctx, "putting an outcome into the hub", func(ctx context.Context) error {
			var err error
			if was == nil {
				_, err = h.outcomes.Create(ctx, name, value)
			} else if _, err = h.outcomes.Update(ctx, name, value, revision); errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
				err = jetstream.ErrKeyExists
			}
			return err
		})
		if !errors.Is(err, jetstream.ErrKeyExists) {
			return err
		}
		// Somebody else was faster, or the answer to this one was lost: whether it may be replaced is to be
		// looked at again.
	}
}

// Outcomes implements [campaign.Store].
func (s *Store) Outcomes(ctx context.Context) iter.Seq2[*campaign.Outcome, error] {
	return func(yield func(*campaign.Outcome, error) bool) {
		all, err := s.hub.keys(ctx, s.hub.outcomes, s.name+".>")
		if err != nil {
			yield(nil, err)
			return
		}
		slices.Sort(all)
		for _, key := range all {
			text, _, err := s.hub.get(ctx, s.hub.outcomes, key)
			if err == nil && text == nil {
				continue
			}
			o := &campaign.Outcome{}
			if err == nil {
				if err = json.Unmarshal(text, o); err != nil {
					err = fmt.Errorf("reading the outcome %s from the hub: %w", key, err)
				}
			}
			if !yield(o, err) || err != nil {
				return
			}
		}
	}
}

// Lease implements [campaign.Store]. Whoever has the campaign has all of its jobs, so who has which is not for others
// to know.
func (s *Store) Lease(_ context.Context, key string, d time.Duration) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Now().Before(s.leases[key]) {
		return false, nil
	}
	s.leases[key] = time.Now().Add(d)
	return true, nil
}

// Release implements [campaign.Store].
func (s *Store) Release(_ context.Context, key string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.leases, key)
	return nil
}

// Append implements [campaign.Store]. It does not wait for the hub; what cannot be kept is an error of a later call, or
// of Close.
func (s *Store) Append(ctx context.Context, e campaign.Event) error {
	text, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("writing an event: %w", err)
	}
	if text, err = s.hub.pack(ctx, text); err != nil {
		return err
	}
	subject, id := eventSubject+s.name, jetstream.WithMsgID(rand.Text()) // one that comes twice is kept once
	future, refused := s.hub.js.PublishAsync(subject, text, id)
	s.sending.Go(func() {
		if refused == nil {
			select {
			case <-future.Ok():
				return
			case <-future.Err():
			}
		}
		// The connection may have been away: once more, and now it is waited for.
		err := s.hub.persist(ctx, "sending an event to the hub", func(ctx context.Context) error {
			_, err := s.hub.js.Publish(ctx, subject, text, id)
			return err
		})
		if err != nil {
			s.mu.Lock()
			s.failed = errors.Join(s.failed, err)
			s.mu.Unlock()
		}
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	err, s.failed = s.failed, nil
	return err
}

// sent waits for events that are under way.
func (s *Store) sent() {
	select {
	case <-s.hub.js.PublishAsyncComplete():
	case <-time.After(patience):
	case <-s.hub.hurried.Done():
		select {
		case <-s.hub.js.PublishAsyncComplete():
		case <-time.After(inHurry):
		}
	}
	s.sending.Wait()
}

// Events implements [campaign.Store].
func (s *Store) Events(ctx context.Context) iter.Seq2[campaign.Event, error] {
	return func(yield func(campaign.Event, error) bool) {
		s.sent()
		for e, err := range s.hub.Follow(ctx, s.name, false) {
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Follow yields a campaign's events; with on it goes on when all were told, until ctx ends.
func (h *Hub) Follow(ctx context.Context, name string, on bool) iter.Seq2[campaign.Event, error] {
	subject := eventSubject + name
	reading := func(err error) error { return fmt.Errorf("reading the events of the campaign %s: %w", name, err) }
	return func(yield func(campaign.Event, error) bool) {
		info, err := h.events.Info(ctx, jetstream.WithSubjectFilter(subject))
		if err != nil {
			yield(campaign.Event{}, reading(err))
			return
		}
		left := info.State.Subjects[subject]
		if left == 0 && !on {
			return
		}
		c, err := h.events.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{FilterSubjects: []string{subject}})
		if err != nil {
			yield(campaign.Event{}, reading(err))
			return
		}
		messages, err := c.Messages()
		if err != nil {
			yield(campaign.Event{}, reading(err))
			return
		}
		defer messages.Stop()
		for ; left > 0 || on; left-- {
			m, err := messages.Next(jetstream.NextContext(ctx))
			if err != nil {
				if ctx.Err() == nil {
					yield(campaign.Event{}, reading(err))
				}
				return
			}
			var e campaign.Event
			text, err := h.unpack(ctx, m.Data())
			if err == nil {
				err = json.Unmarshal(text, &e)
			}
			if err != nil {
				err = reading(err)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Told counts a campaign's events.
func (h *Hub) Told(ctx context.Context, name string) (uint64, error) {
	info, err := h.events.Info(ctx, jetstream.WithSubjectFilter(eventSubject+name))
	if err != nil {
		return 0, fmt.Errorf("counting the events of the campaign %s: %w", name, err)
	}
	return info.State.Subjects[eventSubject+name], nil
}

// noteName is the key of a note. Its name may have any characters.
func noteName(name, note string) string { return name + "." + part(note) }

// Note implements [campaign.Store].
func (s *Store) Note(ctx context.Context, name, text string) error {
	return s.hub.put(ctx, s.hub.notes, noteName(s.name, name), []byte(text))
}

// Noted implements [campaign.Store].
func (s *Store) Noted(ctx context.Context, name string) (string, error) {
	text, _, err := s.hub.get(ctx, s.hub.notes, noteName(s.name, name))
	return string(text), err
}

// Clear implements [campaign.Store].
func (s *Store) Clear(ctx context.Context) error {
	s.sent()
	s.mu.Lock()
	clear(s.leases)
	s.mu.Unlock()
	return s.hub.persist(ctx, "clearing the campaign on the hub", func(ctx context.Context) error {
		outcomes, err := s.hub.js.Stream(ctx, "KV_"+outcomesBucket)
		if err != nil {
			return err
		}
		if err := outcomes.Purge(ctx, jetstream.WithPurgeSubject("$KV."+outcomesBucket+"."+s.name+".>")); err != nil {
			return err
		}
		return s.hub.events.Purge(ctx, jetstream.WithPurgeSubject(eventSubject+s.name))
	})
}

// Close waits for events that are under way, and lets the campaign go.
func (s *Store) Close() error {
	defer s.release()
	s.sent()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}
