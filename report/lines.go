package report

import (
	"fmt"
	"io"

	"misstep/campaign"
)

// Lines prints each class that is not known as go vet prints what it finds, file:line:column: message, for
// editors and what annotates changes in CI.
func Lines(dir string, w io.Writer) campaign.Handler {
	return Whole(dir, func(c *Campaign) error {
		for _, x := range c.New() {
			s := c.place(x)
			at := fmt.Sprintf("%s:%d", s.File, s.Line)
			if s.Column > 0 {
				at += fmt.Sprintf(":%d", s.Column)
			}
			if _, err := fmt.Fprintf(w, "%s: %s [%s]\n", at, oneLine(x.Reason), x.Class); err != nil {
				return fmt.Errorf("writing the findings as lines: %w", err)
			}
		}
		return nil
	})
}
