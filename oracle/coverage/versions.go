package coverage

import "context"

// versions holds counts against those of another toolchain, or of a debugger.
func (c *Case) versions(ctx context.Context, t Trial) (*Verdict, error) {
	if Debugs(t.With) {
		return c.debugged(ctx, t)
	}
	other, err := c.with(t)
	if err != nil {
		return nil, err
	}
	mine, none, err := c.profiled(ctx, Trial{As: t.As, Seed: t.Seed}, c.Profiler)
	if none != nil || err != nil {
		return none, err
	}
	theirs, none, err := c.profiled(ctx, t, other)
	if none != nil || err != nil {
		return none, err
	}
	if len(differences(mine, theirs)) > 0 {
		return not("it runs differently with the other toolchain"), nil
	}
	made, all := compareCounts(theirs, mine, nil, adjustment(theirs, mine), t.As)
	return verdict(Versions, made, all), nil
}
