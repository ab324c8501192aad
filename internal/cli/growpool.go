package cli

import (
	"context"
	"encoding/csv"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"misstep/conform"
	"misstep/conform/pool"
	"misstep/dap"
	"misstep/internal/executed"
	"misstep/internal/gobuild"
	"misstep/script"
)

// pool is the folder of the pool.
func (g *growFlags) pool() string { return filepath.Join(g.out, "pool") }

// ofPool reports whether a test of that name was made of a pool.
func ofPool(name string) bool {
	return strings.HasPrefix(name, "session-") || strings.HasPrefix(name, "relation-")
}

// growPool grows a pool of sessions, goes on with that of old files, and makes tests of it that add to a suite.
func (g *growFlags) growPool(cmd *cobra.Command, env *script.Env, e gobuild.Engine, programs []*gobuild.Program, old []string, suite []conform.Test) (tests, failing []conform.Test, err error) {
	ctx := cmd.Context()
	a, err := dap.Resolve(ctx, env.Cache, e)
	if err != nil {
		return nil, nil, err
	}
	var source string
	if a.Path, source, err = env.Cache.DlvCovered(ctx, e); err != nil {
		return nil, nil, err
	}
	grower := &pool.Grower{
		Env: env, Engine: e, Adapter: a, Programs: programs, Seed: g.seed, Workers: g.jobs, Time: g.sessions, Lines: g.lines, Commands: g.commands, Unguided: g.unguided,
		Keep: g.keepPool, Said: saidTo(cmd),
	}
	for _, file := range old {
		s, err := readScript(file)
		if err != nil {
			return nil, nil, err
		}
		grower.Old = append(grower.Old, s)
	}
	grown, err := grower.Grow(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, file := range old { // what is none of the pool any more
		if n, err := strconv.Atoi(strings.TrimSuffix(filepath.Base(file), ".txtar")); err == nil && n >= g.written {
			if err := os.Remove(file); err != nil {
				return nil, nil, fmt.Errorf("writing the pool: %w", err)
			}
		}
	}
	ledger := &executed.Ledger{Module: gobuild.Delve, Source: source}
	choice := pool.Choice{Most: g.most, Reduce: g.reduce, News: func(ctx context.Context, dir string) ([]string, error) {
		profiles, err := env.Cache.Profiles(ctx, dir)
		if err != nil {
			return nil, err
		}
		return ledger.Add(profiles)
	}}
	for _, t := range suite {
		choice.Has = append(choice.Has, t.Script)
	}
	if tests, failing, err = grower.Suite(ctx, choice); err != nil {
		return nil, nil, err
	}
	return tests, failing, g.sayPool(cmd, env, grown, source, len(tests), len(failing))
}

// keepPool writes the pool, and how it has grown.
func (g *growFlags) keepPool(p *pool.Pool) error {
	if err := os.MkdirAll(g.pool(), 0o777); err != nil {
		return fmt.Errorf("writing the pool: %w", err)
	}
	for i, s := range p.Scripts() {
		if i < g.written {
			continue
		}
		if err := os.WriteFile(filepath.Join(g.pool(), fmt.Sprintf("%05d.txtar", i)), s.Format(), 0o666); err != nil {
			return fmt.Errorf("writing the pool: %w", err)
		}
		g.written = i + 1
	}
	f, err := os.Create(filepath.Join(g.out, "curve.csv"))
	if err != nil {
		return fmt.Errorf("writing how the pool has grown: %w", err)
	}
	w := csv.NewWriter(f)
	err = w.Write([]string{"seconds", "tried", "members", "blocks", "cases"})
	for _, p := range p.Curve {
		line := []string{strconv.FormatFloat(p.Elapsed.Seconds(), 'f', 1, 64)}
		for _, n := range []int{p.Trials, p.Members, p.Blocks, p.Cases} {
			line = append(line, strconv.Itoa(n))
		}
		if err == nil {
			err = w.Write(line)
		}
	}
	if w.Flush(); err == nil {
		err = w.Error()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("writing how the pool has grown: %w", err)
	}
	return nil
}

// ofInterest are the packages of Delve that are told of.
var ofInterest = []string{"service/dap", "pkg/proc", "pkg/proc/evalop", "pkg/proc/native", "pkg/locspec"}

// sayPool says what has come of the sessions.
func (g *growFlags) sayPool(cmd *cobra.Command, env *script.Env, p *pool.Pool, source string, tests, failing int) error {
	out := cmd.OutOrStdout()
	if n := len(p.Curve); n > 0 {
		last := p.Curve[n-1]
		fmt.Fprintf(out, "sessions      %d tried in %.0f s, %d in the pool, with %d blocks of the debugger and %d cases\n",
			last.Trials, last.Elapsed.Seconds(), last.Members, last.Blocks, last.Cases)
	}
	fmt.Fprintf(out, "made of them  %d tests, and %d that fail\n", tests, failing)
	r, err := writeExecuted(cmd, env.Cache, p.Raw, source, g.out)
	if err != nil {
		return err
	}
	for _, s := range r.Packages {
		if slices.Contains(ofInterest, s.Name) {
			fmt.Fprintf(out, "              the pool executes %.1f %% of %s\n", s.Percent(), s.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Skipped)) {
		fmt.Fprintf(out, "left out      %s: %s\n", name, p.Skipped[name])
	}
	return nil
}
