package hub

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// The server counts leases by the clock of its machine, not by a monotonic one. If that clock goes forward, they run out:
// jobs that workers are at are handed out once more, and a submitter takes its campaign anew. If it goes back, they would
// last longer by as much, and a job whose worker died would wait for hours. So all leases end then.

// setBack is by how much a clock has to go back for its leases to end, and lookAtClock how often it is looked at.
const setBack, lookAtClock = 2 * time.Second, time.Second

// watchClock ends all leases when the clock was set back.
func (s *Server) watchClock() {
	for last := time.Now(); ; {
		select {
		case <-s.stop:
			return
		case <-time.After(lookAtClock):
		}
		now := time.Now()
		back := now.Sub(last) - now.Round(0).Sub(last.Round(0)) // by the monotonic clock, and without it
		last = now
		if back < setBack {
			continue
		}
		s.log.say(fmt.Sprintf("the clock went back by %s; what workers are at is handed out once more", back.Round(time.Second)))
		if err := s.endLeases(); err != nil {
			s.log.say(err.Error())
		}
	}
}

// endLeases makes the queue forget who has which job, and which campaign. A job that goes on none the less
// is done twice, and its outcome kept once.
func (s *Server) endLeases() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	go func() {
		select {
		case <-s.stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	h, err := s.Join(ctx)
	if err != nil {
		return fmt.Errorf("ending leases after the clock went back: %w", err)
	}
	defer h.Close()
	var errs []error
	list := h.jobs.ListConsumers(ctx)
	for c := range list.Info() {
		if err := h.jobs.DeleteConsumer(ctx, c.Name); err != nil {
			errs = append(errs, err)
		} else if _, err = h.jobs.CreateOrUpdateConsumer(ctx, c.Config); err != nil {
			errs = append(errs, err)
		}
	}
	errs = append(errs, list.Err())
	keys, err := h.keys(ctx, h.holders, ">")
	errs = append(errs, err)
	for _, key := range keys {
		if err := h.holders.Purge(ctx, key); err != nil && !errors.Is(err, jetstream.ErrKeyNotFound) {
			errs = append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("ending leases after the clock went back: %w", err)
	}
	return nil
}
