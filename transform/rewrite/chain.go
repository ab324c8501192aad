package rewrite

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"misstep/internal/gobuild"
	"misstep/internal/proc"
	"misstep/internal/source"
	"misstep/internal/srcedit"
	"misstep/transform"
)

// A Chain applies rewrites in turn, each to the result of the last.
type Chain struct {
	Keeper *proc.Keeper
	Cache  *gobuild.Cache
	Engine gobuild.Engine
	Seed   uint64
	// Site and Choices, if they are given, are where and how the first one is applied
	// instead of where and how the seed says.
	Site    string
	Choices *uint64
}

// A Link is one rewrite of a chain, as it was applied.
type Link struct {
	Name   string
	Params transform.Params
	Sites  int // where it could have been applied
}

// Apply applies rewrites by their names, and builds the result. The map is that from the
// first program's lines to the last one's.
func (c *Chain) Apply(ctx context.Context, program *gobuild.Program, names []string) (*gobuild.Program, *srcedit.Map, []Link, error) {
	loader := &source.Loader{Keeper: c.Keeper}
	r := rand.New(rand.NewPCG(c.Seed, 0x636c69))
	var total *srcedit.Map
	var links []Link
	for i, name := range names {
		v, link, err := c.apply(ctx, loader, program, name, r, i == 0)
		if err != nil {
			return nil, nil, nil, err
		}
		program, links = v.Program, append(links, *link)
		if total == nil {
			total = v.Relation.Lines
		} else {
			total = total.Then(v.Relation.Lines)
		}
	}
	dir, err := c.Keeper.TempDir("build")
	if err != nil {
		return nil, nil, nil, fmt.Errorf("making a folder for a build: %w", err)
	}
	if _, err := c.Cache.Build(ctx, program, c.Engine, dir); err != nil {
		var b *gobuild.BuildError
		if errors.As(err, &b) {
			return nil, nil, nil, fmt.Errorf("a fault of misstep, the result does not compile: %w", err)
		}
		return nil, nil, nil, err
	}
	return program, total, links, nil
}

// apply applies one rewrite.
func (c *Chain) apply(ctx context.Context, loader *source.Loader, program *gobuild.Program, name string, r *rand.Rand, first bool) (*Variant, *Link, error) {
	t, ok := Lookup(name)
	if !ok {
		return nil, nil, fmt.Errorf("unknown transformation of programs %q", name)
	}
	src, err := loader.Load(ctx, program, c.Engine)
	if err != nil {
		return nil, nil, err
	}
	if len(src.TypeErrors) > 0 {
		return nil, nil, fmt.Errorf("%s does not compile: %w", program.Name, src.TypeErrors[0])
	}
	g := Of(src, nil)
	if t.NeedsRun {
		if g.Unrun, err = c.Cache.Unrun(ctx, program, c.Engine, gobuild.DefaultLimits); err != nil {
			return nil, nil, err
		}
	}
	p, n := t.Choose(g, r)
	if n == 0 {
		why := g.Refusal()
		if why == "" {
			why = "it has no site there; see misstep transform --explain " + name
		}
		return nil, nil, fmt.Errorf("%s does not apply to %s: %s", name, program.Name, why)
	}
	if first && c.Site != "" {
		p["site"] = c.Site
	}
	if first && c.Choices != nil {
		p["seed"] = fmt.Sprint(*c.Choices)
	}
	v, err := t.Make(g, p)
	return v, &Link{name, p, n}, err
}
