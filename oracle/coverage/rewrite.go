package coverage

import (
	"context"

	"misstep/profiler"
)

// rewrite holds a variant of the program against the program, and by itself.
func (c *Case) rewrite(ctx context.Context, t Trial) (*Verdict, error) {
	if t.As == "" {
		return not("there is no variant"), nil
	}
	p, err := c.with(t)
	if err != nil {
		return nil, err
	}
	base, none, err := c.profiled(ctx, Trial{}, p)
	if none != nil || err != nil {
		return none, err
	}
	r, err := c.run(ctx, t, p, true)
	if err != nil {
		return nil, err
	}
	// The covered run of the program itself mostly says what the variant is to do.
	if r.Failed != "" || len(differences(base, r)) > 0 {
		plain, err := c.plain(ctx, t, p)
		if err != nil {
			return nil, err
		}
		if plain.Failed != "" {
			return not("as %s, it is not built without -cover either", t.As), nil
		}
		if why := incomparable(p, plain, r); why != "" {
			return not("%s", why), nil
		}
		if all := c.unlike(t, p, plain, r); len(all) > 0 {
			return verdict(Rewrite, 1, all), nil
		}
		return not("as %s, it does something else", t.As), nil
	}
	if r.Profile == nil {
		return verdict(Rewrite, 1, []difference{{
			what: "the profile", expected: said(base.Profiler.String(), "one"), got: said("as "+t.As, "none: %s", r.Unread), kind: "profile", node: t.As, detail: messageOf(r.Unread),
		}}), nil
	}
	_, lines, err := c.as(ctx, t)
	if err != nil {
		return nil, err
	}
	made, all := 0, []difference(nil)
	if lines != nil {
		made, all = compareLines(base, r, lines, t.As)
	} else {
		made, all = compareCounts(base, r, nil, nil, t.As)
	}
	n, more := shaped(r, t.As)
	_, had := shaped(base, t.As)
	all = append(all, beside(more, had)...)
	for i := range all {
		all[i].node = "" // what the variant does makes a class, not which statement it was done to
	}
	return verdict(Rewrite, made+n, all), nil
}

// beside are those differences whose kind the program itself does not show as well, which is for its own trial to tell.
func beside(more, had []difference) []difference {
	known := map[string]bool{}
	for _, d := range had {
		known[d.kind+d.node] = true
	}
	var left []difference
	for _, d := range more {
		if !known[d.kind+d.node] {
			left = append(left, d)
		}
	}
	return left
}

// sameRun reports whether a run has what another has printed and returned.
func sameRun(a, b *profiler.Run) bool { return len(differences(a, b)) == 0 }
