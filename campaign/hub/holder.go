package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// ErrHeld says that somebody else submits a campaign.
var ErrHeld = errors.New("another hunt is at work")

// hold makes this process the one that submits a campaign, until it is released.
func (h *Hub) hold(ctx context.Context, name string, lost func(error)) (release func(), err error) {
	me := []byte(here() + fmt.Sprintf(", since %s", time.Now().UTC().Format(time.RFC3339Nano)))
	var revision uint64
	take := func(ctx context.Context) (err error) {
		revision, err = h.holders.Create(ctx, name, me)
		return err
	}
	err = h.persist(ctx, "taking the campaign", take)
	if errors.Is(err, jetstream.ErrKeyExists) {
		who, _, _ := h.get(ctx, h.holders, name)
		return nil, fmt.Errorf("%w on the campaign %s (%s); if it died, try again in %s", ErrHeld, name, who, h.lease)
	}
	if err != nil {
		h.letGo(ctx, name, me, lateTaken) // it may have been taken, and the answer was not waited for
		return nil, err
	}
	stop := h.beating(ctx, func(ctx context.Context) bool {
		now, err := h.holders.Update(ctx, name, me, revision)
		if err == nil {
			revision = now
			return true
		}
		e, err := h.holders.Get(ctx, name)
		switch {
		case err == nil && string(e.Value()) == string(me):
			revision = e.Revision() // the answer to an update was lost
		case err == nil:
			lost(fmt.Errorf("another hunt took the campaign %s over: %s", name, e.Value()))
			return false
		case errors.Is(err, jetstream.ErrKeyNotFound):
			_ = take(ctx) // the lease ran out, and nobody took it; if that fails it is tried again
		}
		return true
	})
	return func() {
		stop()
		h.letGo(ctx, name, me, 0)
	}, nil
}

// letGoAgain is after how long it is tried again to let go of a campaign, and lateTaken for how long a message that takes one may still be
// on its way when nobody waits for its answer any more.
const letGoAgain, lateTaken = 50 * time.Millisecond, time.Second

// letGo releases a campaign for others, if it is this process's, or comes to be within a time. What cannot be deleted runs out.
func (h *Hub) letGo(ctx context.Context, name string, me []byte, within time.Duration) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cmp.Or(within, h.lease))
	defer cancel()
	for ctx.Err() == nil {
		e, err := h.holders.Get(ctx, name)
		switch {
		case err == nil && string(e.Value()) != string(me), errors.Is(err, jetstream.ErrKeyNotFound) && within == 0:
			return
		case err == nil && h.holders.Delete(ctx, name, jetstream.LastRevision(e.Revision())) == nil:
			return // otherwise the last heartbeat came in between
		}
		select {
		case <-ctx.Done():
		case <-time.After(letGoAgain):
		}
	}
}
