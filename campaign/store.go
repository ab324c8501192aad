package campaign

import (
	"context"
	"iter"
	"time"
)

// A Store keeps a campaign: what came of its jobs, who is at work on which, and what
// happened. Its methods may be called concurrently, but not while Outcomes or Events yield.
// What of it belongs together, and when it begins anew, is [Hunt]'s to know.
type Store interface {
	// Put keeps an outcome under its key. What is there already stays, unless that was cut
	// off: putting the same twice is putting it once.
	Put(ctx context.Context, o *Outcome) error
	// Outcomes yields all outcomes in the order of their jobs, by index and then by key.
	Outcomes(ctx context.Context) iter.Seq2[*Outcome, error]
	// Lease asks for a job, for a time; ok is false if somebody has it. Release gives it
	// back before. A store that knows who had a lease to be gone need not wait for the time.
	Lease(ctx context.Context, key string, d time.Duration) (ok bool, err error)
	Release(ctx context.Context, key string) error
	// Append keeps an event, and Events yields all in order.
	Append(ctx context.Context, e Event) error
	Events(ctx context.Context) iter.Seq2[Event, error]
	// Note keeps a word about the campaign under a name; Noted is the empty text where there
	// is none.
	Note(ctx context.Context, name, text string) error
	Noted(ctx context.Context, name string) (string, error)
	// Clear forgets all outcomes, leases and events, but not what is noted.
	Clear(ctx context.Context) error
	Close() error
}

// NotedComplete is the name of the note that a campaign came to its end, which says when.
const NotedComplete = "complete"

// What else is noted of a campaign.
const (
	notedSettings = "settings"
	notedSpent    = "spent"   // how long it was at work
	notedScripts  = "scripts" // the files that it has written
)
