package report

import (
	"encoding/json"
	"io"

	"misstep/campaign"
)

// JSON writes each event as a line of JSON.
func JSON(w io.Writer) func(campaign.Event) {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return func(e campaign.Event) { enc.Encode(e) }
}
