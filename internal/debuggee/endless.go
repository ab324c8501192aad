package debuggee

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"misstep/internal/gobuild"
)

// endless is how long a program that does not end by itself runs in a session before it is asked to pause, where nothing else pauses it.
const endless = 700 * time.Millisecond

// together bounds how long two runs of such a program are watched.
const together = 2 * time.Second

// Endless makes the debuggee of a program that does not end by itself, as of a server, or not in time. What it prints is held against nothing,
// and a session asks it to pause where nothing else does. Alone says that it cannot run beside itself: of two runs at the same time one has
// ended when time is up, as of a server whose address is in use.
func (m *Maker) Endless(ctx context.Context, p *gobuild.Program, e gobuild.Engine) (d *Debuggee, alone bool, err error) {
	limits := m.Limits
	limits.Time = min(limits.Time, together)
	runs := *p
	runs.Endless = endless
	d, err = m.made(ctx, &runs, e, func(b *gobuild.Build) (*gobuild.Plain, error) {
		var running [2]bool
		var both errgroup.Group
		for i := range running {
			both.Go(func() error {
				_, err := m.Cache.Plain(ctx, b, limits)
				var unfit *gobuild.Unfit
				if errors.As(err, &unfit) {
					running[i], err = unfit.Endless, nil
				}
				return err
			})
		}
		err := both.Wait()
		alone = !running[0] || !running[1]
		return nil, err
	})
	return d, alone, err
}
