package report

import (
	"encoding/json"
	"fmt"
	"io"

	"misstep/campaign"
)

// JSON writes each event as a line of JSON.
func JSON(w io.Writer) campaign.Handler {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return &lines{enc}
}

type lines struct{ enc *json.Encoder }

func (l *lines) Handle(e campaign.Event) error {
	if err := l.enc.Encode(e); err != nil {
		return fmt.Errorf("writing an event: %w", err)
	}
	return nil
}

func (l *lines) Flush() error { return nil }
