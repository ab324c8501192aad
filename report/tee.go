package report

import (
	"errors"

	"misstep/campaign"
)

// Tee hands each event to all of several handlers. One that fails does not keep it from
// the others.
func Tee(handlers ...campaign.Handler) campaign.Handler { return tee(handlers) }

type tee []campaign.Handler

func (t tee) Handle(e campaign.Event) error {
	var errs []error
	for _, h := range t {
		errs = append(errs, h.Handle(e))
	}
	return errors.Join(errs...)
}

func (t tee) Flush() error {
	var errs []error
	for _, h := range t {
		errs = append(errs, h.Flush())
	}
	return errors.Join(errs...)
}
