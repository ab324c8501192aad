package hub

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Forget removes a campaign for good: what it is, its jobs, outcomes, events and notes. One that somebody submits is
// [ErrHeld]. Workers that are at a job of it are asked to end it, and waited for. One that is forgotten halfway is still listed,
// and can be forgotten again.
func (h *Hub) Forget(ctx context.Context, name string) error {
	if !names.MatchString(name) {
		return fmt.Errorf("the campaign %q: expected small letters, digits and dashes, 64 at most", name)
	}
	text, _, err := h.get(ctx, h.campaigns, name)
	if err != nil {
		return err
	}
	if text == nil {
		return fmt.Errorf("the hub has no campaign %s", name)
	}
	if err := h.forget(ctx, name); err != nil {
		return fmt.Errorf("forgetting the campaign %s: %w", name, err)
	}
	return nil
}

func (h *Hub) forget(ctx context.Context, name string) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	release, err := h.hold(ctx, name, stop)
	if err != nil {
		return err
	}
	defer release()
	h.takeBack(ctx, name)
	if err := h.idle(ctx, name); err != nil {
		return err
	}
	err = h.persist(ctx, "removing a campaign from the hub", func(ctx context.Context) error {
		for _, bucket := range []string{outcomesBucket, notesBucket, answersBucket, attemptsBucket} {
			stream, err := h.js.Stream(ctx, "KV_"+bucket)
			if err != nil {
				return err
			}
			if err := stream.Purge(ctx, jetstream.WithPurgeSubject("$KV."+bucket+"."+name+".>")); err != nil {
				return err
			}
		}
		return h.events.Purge(ctx, jetstream.WithPurgeSubject(eventSubject+name))
	})
	if err != nil {
		return err
	}
	// What it is goes last.
	return h.persist(ctx, "removing a campaign from the hub", func(ctx context.Context) error {
		return h.campaigns.Purge(ctx, name)
	})
}

// idle waits until nobody is at work on a campaign's jobs, for as long as workers have to end what they are at. What is
// not ended by then is of workers that died.
func (h *Hub) idle(ctx context.Context, name string) error {
	for until := time.Now().Add(grace); time.Now().Before(until); {
		begun, err := h.keys(ctx, h.attempts, name+".>")
		if err != nil || len(begun) == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(500 * time.Millisecond):
		}
	}
	return nil
}

// unused is how old a content has to be that is swept. Whoever relies on one puts it anew when it is older than fresh.
const unused, fresh = time.Hour, 30 * time.Minute

// ErrAtWork says that the queue has jobs, whose programs nobody may sweep.
var ErrAtWork = errors.New("the hub has jobs in its queue")

// Sweep removes the programs and long texts that nothing on the hub names any more, and returns how many there were and
// their size in bytes. Those that were put within the last hour stay, as a job may be about to name them, and so do
// debuggers that workers share. It is [ErrAtWork] while there are jobs.
func (h *Hub) Sweep(ctx context.Context) (n int, size uint64, err error) {
	return h.sweep(ctx, unused)
}

func (h *Hub) sweep(ctx context.Context, age time.Duration) (n int, size uint64, err error) {
	info, err := h.jobs.Info(ctx)
	if err != nil {
		return 0, 0, fmt.Errorf("looking at the queue of the hub: %w", err)
	}
	if info.State.Msgs > 0 {
		return 0, 0, ErrAtWork
	}
	all, err := h.contents.List(ctx)
	if err != nil && !errors.Is(err, jetstream.ErrNoObjectsFound) {
		return 0, 0, fmt.Errorf("listing the programs on the hub: %w", err)
	}
	named, err := h.named(ctx)
	if err != nil {
		return 0, 0, err
	}
	for _, o := range all {
		if strings.HasPrefix(o.Name, binaryObject) || named[o.Name] || time.Since(o.ModTime) < age {
			continue
		}
		if err := h.contents.Delete(ctx, o.Name); err != nil {
			return n, size, fmt.Errorf("removing a program from the hub: %w", err)
		}
		h.stored.Delete(o.Name)
		n++
		size += o.Size
	}
	return n, size, nil
}

// named are the contents that values and events refer to.
func (h *Hub) named(ctx context.Context) (map[string]bool, error) {
	all := map[string]bool{}
	for _, stream := range []string{"KV_" + outcomesBucket, "KV_" + notesBucket, "KV_" + answersBucket, eventsStream} {
		if err := h.referred(ctx, stream, all); err != nil {
			return nil, fmt.Errorf("looking at what the stream %s of the hub has: %w", stream, err)
		}
	}
	return all, nil
}

// referred adds the contents that a stream's messages refer to.
func (h *Hub) referred(ctx context.Context, stream string, all map[string]bool) error {
	s, err := h.js.Stream(ctx, stream)
	if err != nil || s.CachedInfo().State.Msgs == 0 {
		return err
	}
	c, err := s.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{})
	if err != nil {
		return err
	}
	messages, err := c.Messages()
	if err != nil {
		return err
	}
	defer messages.Stop()
	for pending := uint64(1); pending > 0; {
		once, done := context.WithTimeout(ctx, patience)
		m, err := messages.Next(jetstream.NextContext(once))
		done()
		if err != nil {
			return err
		}
		meta, err := m.Metadata()
		if err != nil {
			return err
		}
		pending = meta.NumPending
		if name, ok := referredTo(m.Data()); ok {
			all[name] = true
		}
	}
	return nil
}
