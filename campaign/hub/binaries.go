package hub

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Binaries are where workers share the debuggers that they have built: one builds, the others wait and have it from
// the hub.
func (h *Hub) Binaries() *Binaries { return &Binaries{h} }

// Binaries implement [misstep/internal/gobuild.Shared].
type Binaries struct{ hub *Hub }

// binaryObject begins the name of a debugger among the contents.
const binaryObject = "binary-"

// waiting is how long one waits for another machine's build at most.
const waiting = 10 * time.Minute

// Get implements [misstep/internal/gobuild.Shared].
func (b *Binaries) Get(ctx context.Context, name, file string, build func() error) error {
	object := binaryObject + name
	until := time.Now().Add(waiting)
	for {
		err := b.fetch(ctx, object, file)
		if err == nil || ctx.Err() != nil {
			return err
		}
		release, err := b.hub.hold(ctx, "build-"+strings.Map(keyed, name), func(error) {})
		if err != nil && time.Now().Before(until) && ctx.Err() == nil {
			pause(ctx, time.Second) // somebody builds it, or the hub is away
			continue
		}
		if release != nil {
			defer release()
		}
		if err := build(); err != nil {
			return err
		}
		// Where this fails others build it, too.
		_ = b.offer(ctx, object, file)
		return nil
	}
}

// keyed makes a character one that keys may have.
func keyed(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
		return r
	}
	return '_'
}

// fetch writes a binary into a file, whole or not at all.
func (b *Binaries) fetch(ctx context.Context, object, file string) error {
	info, err := b.hub.contents.GetInfo(ctx, object)
	if err != nil {
		return fmt.Errorf("looking for %s on the hub: %w", object, err)
	}
	if info.Size > maxContent {
		return fmt.Errorf("%s: %w", object, errLarge)
	}
	part := filepath.Join(filepath.Dir(file), ".part")
	defer os.Remove(part)
	if err := b.hub.contents.GetFile(ctx, object, part); err != nil { // it checks the sum
		return fmt.Errorf("getting %s from the hub: %w", object, err)
	}
	if err := os.Chmod(part, 0o755); err != nil {
		return fmt.Errorf("getting %s from the hub: %w", object, err)
	}
	if err := os.Rename(part, file); err != nil {
		return fmt.Errorf("getting %s from the hub: %w", object, err)
	}
	return nil
}

// offer puts a binary on the hub.
func (b *Binaries) offer(ctx context.Context, object, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("putting %s on the hub: %w", object, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() > maxContent {
		return errors.Join(err, errLarge)
	}
	_, err = b.hub.contents.Put(ctx, jetstream.ObjectMeta{Name: object}, f)
	return err
}
