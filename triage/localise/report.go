package localise

import (
	"fmt"
	"io"
)

// A Report is what a pipeline came to.
type Report struct {
	Ranked         []Function
	Failed, Passed int // runs that show the finding, and that do not
}

// Write prints the first functions as a table.
func (r *Report) Write(w io.Writer, top int) error {
	fmt.Fprintf(w, "%d runs show the finding, %d do not\n", r.Failed, r.Passed)
	if r.Passed == 0 {
		fmt.Fprintln(w, "every session shows it: what is executed tells nothing")
	}
	_, err := fmt.Fprintf(w, "%4s  %6s  %8s  %5s  %5s  %-9s  %s\n", "rank", "score", "spectrum", "words", "panic", "alone", "function")
	for i, f := range r.Ranked[:min(top, len(r.Ranked))] {
		_, err = fmt.Fprintf(w, "%4d  %6.3f  %8.3f  %5.3f  %5.3f  %-9s  %s:%d %s\n", i+1, f.Score, f.Spectrum, f.Words, f.Panic, fmt.Sprintf("%d of %d", f.Alone, f.Executed), f.File, f.Line, f.Name)
	}
	return err
}
