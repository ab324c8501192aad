package hub

import (
	"context"
	"sync"
	"time"
)

// beating does something at each heartbeat, which has until the next to be done, until it is stopped or says that there are to be no more. It
// goes on when the context ends.
func (h *Hub) beating(ctx context.Context, beat func(ctx context.Context) (more bool)) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var done sync.WaitGroup
	done.Go(func() {
		for more := true; more; {
			select {
			case <-ctx.Done():
				return
			case <-time.After(h.beat):
			}
			once, cancel := context.WithTimeout(ctx, h.beat)
			more = beat(once)
			cancel()
		}
	})
	return func() {
		cancel()
		done.Wait()
	}
}
