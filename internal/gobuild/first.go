package gobuild

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// kind is what builds have in common that compile what they import in the same way.
func kind(e Engine, flags []string) string {
	return strings.Join(slices.Concat(e.Env(), e.Shared(), flags), " ")
}

// first has the first build of a kind be the only one until it is done: it compiles what all of them import, which for a
// toolchain that is new takes longer than all else, and which several at a time would each do once more. Done has to be called
// when a build is through, well or not.
func (c *Cache) first(ctx context.Context, kind string) (done func(), err error) {
	c.compiling.Lock()
	compiled, begun := c.compiled[kind]
	if !begun {
		compiled = make(chan struct{})
		if c.compiled == nil {
			c.compiled = map[string]chan struct{}{}
		}
		c.compiled[kind] = compiled
	}
	c.compiling.Unlock()
	if !begun {
		return func() { close(compiled) }, nil
	}
	select {
	case <-compiled:
		return func() {}, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for another build: %w", context.Cause(ctx))
	}
}
