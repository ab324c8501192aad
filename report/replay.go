package report

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"misstep/campaign"
)

// Open yields the events of a saved campaign: those of a campaign's folder, or of a file
// that [JSON] wrote. Errors name the file, and the line of a file.
func Open(ctx context.Context, path string) iter.Seq2[campaign.Event, error] {
	return func(yield func(campaign.Event, error) bool) {
		info, err := os.Stat(path)
		if err != nil {
			yield(campaign.Event{}, fmt.Errorf("opening a saved campaign: %w", err))
			return
		}
		if info.IsDir() {
			store, err := campaign.ReadStore(ctx, path)
			if err != nil {
				yield(campaign.Event{}, err)
				return
			}
			defer store.Close()
			for e, err := range store.Events(ctx) {
				if !yield(e, err) || err != nil {
					return
				}
			}
			return
		}
		f, err := os.Open(path)
		if err != nil {
			yield(campaign.Event{}, fmt.Errorf("opening a saved campaign: %w", err))
			return
		}
		defer f.Close()
		for e, err := range Read(f, path) {
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// longestEvent bounds a line: a finding carries the traces of two sessions.
const longestEvent = 256 << 20

// Read yields the events that [JSON] wrote. Errors name the file and the line.
func Read(r io.Reader, file string) iter.Seq2[campaign.Event, error] {
	return func(yield func(campaign.Event, error) bool) {
		sc := bufio.NewScanner(r)
		sc.Buffer(nil, longestEvent)
		line := 0
		for sc.Scan() {
			line++
			var e campaign.Event
			err := json.Unmarshal(sc.Bytes(), &e)
			switch {
			case err != nil:
				err = fmt.Errorf("%s:%d: not an event: %w", file, line, err)
			case e.Version != campaign.EventVersion:
				err = fmt.Errorf("%s:%d: an event of version %d; this misstep reads version %d", file, line, e.Version, campaign.EventVersion)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
		if err := sc.Err(); err != nil {
			yield(campaign.Event{}, fmt.Errorf("%s:%d: %w", file, line+1, err))
			return
		}
		if line == 0 {
			yield(campaign.Event{}, fmt.Errorf("%s: empty; expected the events of a campaign", file))
		}
	}
}

// Render hands all events to a handler, and lets it finish.
func Render(events iter.Seq2[campaign.Event, error], h campaign.Handler) error {
	for e, err := range events {
		if err == nil {
			err = h.Handle(e)
		}
		if err != nil {
			return errors.Join(err, h.Flush())
		}
	}
	return h.Flush()
}

// Folder is a path if it is a folder, and else empty: where the scripts of a saved campaign are.
func Folder(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return path
	}
	return ""
}

// ReadCampaign reads a saved campaign whole.
func ReadCampaign(ctx context.Context, path string) (*Campaign, error) {
	return collect(Folder(path), Open(ctx, path))
}

// Collect is a campaign of its events.
func Collect(events iter.Seq2[campaign.Event, error]) (*Campaign, error) { return collect("", events) }

func collect(dir string, events iter.Seq2[campaign.Event, error]) (*Campaign, error) {
	c := &Campaign{}
	err := Render(events, Whole(dir, func(all *Campaign) error {
		c = all
		return nil
	}))
	return c, err
}
