package hub

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// patience is how long something is tried that a network or a server may be in the way of.
const patience = 5 * time.Minute

// persist does something until it succeeds, there is no sense in trying, or the time is up. Whoever puts something
// into the hub has to wait until it is there: a server that is restarted comes back. After [Hub.Hurry] it is not
// waited for long.
func (h *Hub) persist(ctx context.Context, what string, do func(context.Context) error) error {
	ctx, cancel := h.patient(ctx)
	defer cancel()
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 3*time.Second) {
		once, done := context.WithTimeout(ctx, 20*time.Second)
		err := do(once)
		done()
		if err == nil || errors.Is(err, jetstream.ErrKeyExists) || errors.Is(err, jetstream.ErrKeyNotFound) || errors.Is(err, jetstream.ErrObjectNotFound) || errors.Is(err, jetstream.ErrInvalidKey) || errors.Is(err, errLarge) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", what, errors.Join(context.Cause(ctx), err))
		case <-time.After(wait):
		}
	}
}

// inHurry is how long something is tried once nobody wants to wait any more.
const inHurry = 10 * time.Second

var errHurried = errors.New("the hub is away, and it was not to be waited for any longer")

// Hurry says that whoever waits for the hub has no more time: what is under way or comes after this is tried for some
// seconds at most. That of an interrupted submitter is.
func (h *Hub) Hurry() { h.hurry() }

// patient bounds how long something is tried.
func (h *Hub) patient(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	ctx, stop := context.WithCancelCause(ctx)
	done := context.AfterFunc(h.hurried, func() {
		select {
		case <-ctx.Done():
		case <-time.After(inHurry):
			stop(errHurried)
		}
	})
	return ctx, func() {
		done()
		stop(nil)
		cancel()
	}
}

var errLarge = errors.New("too large for the hub")

// reference begins a value that lies among the contents.
const reference = "@"

// store puts a text among the contents, if it is not there, and returns its name.
func (h *Hub) store(ctx context.Context, text []byte) (string, error) {
	if len(text) > maxContent {
		return "", fmt.Errorf("%d bytes: %w, which takes %d", len(text), errLarge, maxContent)
	}
	sum := sha256.Sum256(text)
	name := hex.EncodeToString(sum[:])
	if since, ok := h.stored.Load(name); ok && time.Since(since.(time.Time)) < fresh {
		return name, nil
	}
	err := h.persist(ctx, "putting a text into the hub", func(ctx context.Context) error {
		if info, err := h.contents.GetInfo(ctx, name); err == nil && info.Size == uint64(len(text)) && time.Since(info.ModTime) < fresh {
			return nil
		}
		_, err := h.contents.PutBytes(ctx, name, text)
		return err
	})
	if err == nil {
		h.stored.Store(name, time.Now())
	}
	return name, err
}

// load gets a text from the contents, and is an error if it is another.
func (h *Hub) load(ctx context.Context, name string) (text []byte, err error) {
	err = h.persist(ctx, "getting a text from the hub", func(ctx context.Context) error {
		info, err := h.contents.GetInfo(ctx, name)
		if err != nil {
			return err
		}
		if info.Size > maxContent {
			return errLarge
		}
		text, err = h.contents.GetBytes(ctx, name)
		return err
	})
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != name {
		return nil, fmt.Errorf("the hub's content %s is another than its name says", name)
	}
	return text, nil
}

// pack is a text as the value of a bucket.
func (h *Hub) pack(ctx context.Context, text []byte) ([]byte, error) {
	if len(text) <= inline {
		return text, nil
	}
	name, err := h.store(ctx, text)
	return []byte(reference + name), err
}

// unpack is the text of a value.
func (h *Hub) unpack(ctx context.Context, value []byte) ([]byte, error) {
	if name, ok := referredTo(value); ok {
		return h.load(ctx, name)
	}
	return value, nil
}

// referredTo is the name of the content that a value refers to, if it is no text itself.
func referredTo(value []byte) (name string, ok bool) {
	return strings.CutPrefix(string(value[:min(len(value), 1+2*sha256.Size)]), reference)
}

// keys are those of a bucket that match, once it is sure that they are all.
func (h *Hub) keys(ctx context.Context, kv jetstream.KeyValue, filter string) (all []string, err error) {
	ctx, cancel := h.patient(ctx)
	defer cancel()
	err = h.persist(ctx, "listing what the hub has", func(context.Context) error {
		all = nil
		w, err := kv.Watch(ctx, filter, jetstream.MetaOnly(), jetstream.IgnoreDeletes())
		if err != nil {
			return err
		}
		defer w.Stop()
		for {
			select {
			case e, ok := <-w.Updates():
				switch {
				case !ok:
					return errors.New("the list was cut off")
				case e == nil:
					return nil
				}
				all = append(all, e.Key())
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	})
	return all, err
}

// get is a value and its revision; it is nil if there is none.
func (h *Hub) get(ctx context.Context, kv jetstream.KeyValue, key string) (text []byte, revision uint64, err error) {
	var e jetstream.KeyValueEntry
	err = h.persist(ctx, "asking the hub", func(ctx context.Context) (err error) {
		e, err = kv.Get(ctx, key)
		return err
	})
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
		return nil, 0, nil
	case err != nil:
		return nil, 0, err
	}
	text, err = h.unpack(ctx, e.Value())
	return text, e.Revision(), err
}

// put keeps a value.
func (h *Hub) put(ctx context.Context, kv jetstream.KeyValue, key string, text []byte) error {
	value, err := h.pack(ctx, text)
	if err != nil {
		return err
	}
	return h.persist(ctx, "writing to the hub", func(ctx context.Context) error {
		_, err := kv.Put(ctx, key, value)
		return err
	})
}
