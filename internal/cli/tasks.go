package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"misstep/campaign"
	"misstep/campaign/hub"
	"misstep/campaign/profilers"
	"misstep/conform"
	"misstep/dap"
	"misstep/history/record"
	"misstep/profiler"
	"misstep/script"
)

// tasks are what a worker does besides the jobs of campaigns.
func tasks() map[string]hub.TaskFunc {
	return map[string]hub.TaskFunc{
		"conform": func(ctx context.Context, w campaign.Worker, data, _ []byte) ([]byte, error) {
			m := w.(*campaign.Machine)
			env := &script.Env{Keeper: m.Keeper, Cache: m.Cache, Loader: m.Loader, Options: dap.DefaultOptions()}
			return conform.Answer(ctx, env, data)
		},
		"cover": func(ctx context.Context, w campaign.Worker, data, program []byte) ([]byte, error) {
			m := w.(*campaign.Machine)
			do := &profilers.Machine{Bench: &profiler.Bench{Keeper: m.Keeper, Cache: m.Cache}, Recorder: &record.Recorder{Keeper: m.Keeper, Cache: m.Cache}}
			return do.Answer(ctx, data, program)
		},
	}
}

// A tasker has tasks of a kind done by the workers of a hub, until it is closed.
type tasker struct {
	kind  string
	hub   *hub.Hub
	queue *hub.Queue
	hurry func() bool
}

// tasker joins the hub.
func (t *teamFlags) tasker(cmd *cobra.Command, kind string) (*tasker, error) {
	ctx := cmd.Context()
	name, err := hub.NameOf(kind, t.name)
	if err != nil {
		return nil, usagef("--name: %w", err)
	}
	k := &tasker{kind: kind}
	if k.hub, err = t.hub(ctx); err != nil {
		return nil, err
	}
	if k.queue, err = k.hub.Queue(ctx, name); err != nil {
		k.hub.Close()
		return nil, err
	}
	k.queue.Notice = func(text string) { fmt.Fprintln(cmd.ErrOrStderr(), "misstep:", text) }
	k.hurry = context.AfterFunc(ctx, k.hub.Hurry) // who interrupts does not wait for a hub that is away
	return k, nil
}

// ask has a task done with engines of debuggers, which may be none.
func (k *tasker) ask(ctx context.Context, what string, engines []string, data, content []byte) ([]byte, error) {
	return k.queue.Ask(ctx, &hub.Task{Kind: k.kind, What: what, Engines: engines, Data: data, Content: content})
}

func (k *tasker) close() {
	k.hurry()
	k.queue.Close()
	k.hub.Close()
}
