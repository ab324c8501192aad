package cli

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"misstep/campaign"
	"misstep/campaign/hub"
	"misstep/internal/gobuild"
)

// joinFlags say which hub to join.
type joinFlags struct {
	address, key string
}

func (j *joinFlags) add(cmd *cobra.Command, what string) {
	f := cmd.Flags()
	f.StringVar(&j.address, "join", "", what+": HOST:PORT of misstep serve, or the URL of a NATS cluster")
	f.StringVar(&j.key, "key", "", "with --join, the file team.key of the hub's folder; a hub on this machine asks for none")
}

func (j *joinFlags) hub(ctx context.Context) (*hub.Hub, error) {
	return hub.Join(ctx, j.address, j.key)
}

// teamFlags are those of commands that may let the workers of a hub do their work.
type teamFlags struct {
	joinFlags
	name string
}

func (t *teamFlags) add(cmd *cobra.Command) {
	t.joinFlags.add(cmd, "let the workers of a hub do the runs")
	cmd.Flags().StringVar(&t.name, "name", "", "with --join, the campaign's name on the hub, to begin it or to go on with it; the settings name it otherwise")
}

// check is a usage error if options contradict each other.
func (t *teamFlags) check() error {
	if t.address == "" && (t.key != "" || t.name != "") {
		return usagef("--key and --name are for --join")
	}
	return nil
}

// inFlight is how many jobs lie on the hub at a time, which is more than workers take at once.
const inFlight = 1024

// hunt carries a campaign out on a hub. It is the same campaign wherever it is submitted from: the toolchains are those of
// this machine.
func (t *teamFlags) hunt(cmd *cobra.Command, h *house, cfg *campaign.Config, handler campaign.Handler) (sum *campaign.Summary, err error) {
	ctx, stop := context.WithCancelCause(cmd.Context())
	defer stop(nil)
	if err := pin(ctx, h.cache, cfg); err != nil {
		return nil, err
	}
	leaveLarge(cfg)
	if err := os.MkdirAll(cfg.Out, 0o777); err != nil {
		return nil, fmt.Errorf("making the out folder: %w", err)
	}
	joined, err := t.hub(ctx)
	if err != nil {
		return nil, err
	}
	defer joined.Close()
	defer context.AfterFunc(ctx, joined.Hurry)() // who interrupts does not wait for a hub that is away
	identity, err := cfg.Identity()
	if err != nil {
		return nil, err
	}
	name, err := joined.Find(ctx, t.name, identity, strings.Join(cfg.Patterns, " "))
	if err != nil {
		return nil, err
	}
	store, err := joined.Store(ctx, name, stop)
	if err != nil {
		return nil, err
	}
	defer func() {
		if closed := store.Close(); err == nil {
			err = closed
		}
	}()
	queue, err := joined.Queue(ctx, name)
	if err != nil {
		return nil, err
	}
	defer queue.Close()
	queue.Notice = func(text string) { fmt.Fprintln(cmd.ErrOrStderr(), "misstep:", text) }
	fmt.Fprintf(cmd.ErrOrStderr(), "misstep: campaign %s on the hub at %s\n", name, t.address)
	if !cmd.Flags().Changed("jobs") {
		cfg.Workers = inFlight
	}
	version, err := h.cache.GoEnv(ctx, cfg.Engine, "GOVERSION")
	if err != nil {
		return nil, err
	}
	return campaign.Hunt(ctx, cfg, queue, store, version, handler)
}

// pin names the toolchains of engines that name none: another machine's own may be another.
func pin(ctx context.Context, cache *gobuild.Cache, cfg *campaign.Config) error {
	engines := []*gobuild.Engine{&cfg.Engine, cfg.Baseline}
	for i := range cfg.Against {
		engines = append(engines, &cfg.Against[i])
	}
	for _, e := range engines {
		if e == nil || e.Go != "" {
			continue
		}
		version, err := cache.GoEnv(ctx, *e, "GOVERSION")
		if err != nil {
			return err
		}
		e.Go = version
	}
	return nil
}

// leaveLarge leaves out what is too large to be sent to others.
func leaveLarge(cfg *campaign.Config) {
	var fit []*gobuild.Program
	for _, p := range cfg.Programs {
		if c := campaign.ContentOf(p); len(c.Files) == 0 {
			cfg.Skipped = append(cfg.Skipped, &gobuild.Unfit{Program: p.Name, Reason: "too large to be sent to other machines"})
			continue
		}
		fit = append(fit, p)
	}
	cfg.Programs = fit
}
