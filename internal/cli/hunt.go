package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"misstep/campaign"
)

func newHunt() *cobra.Command {
	c := newCampaignFlags()
	cmd := &cobra.Command{
		Use:   "hunt [flags] [PATTERN…]",
		Short: "Drive a debugger over many programs and look for missteps",
		Long: `Hunt drives a debugger over many programs with generated actions, transforms
actions, programs and builds in ways that must not matter, compares, and judges
what is shown by a recorded run of each program.

A PATTERN names programs:

  corpus           the programs that come with misstep; also without a pattern
  corpus/NAME      one of them; misstep programs lists them
  goroot           the runnable programs of $GOROOT/test
  goroot/NAME.go   one of them, or a folder of them
  generated        programs of random statements; those of the first 20 seeds
  generated/7-50   those of these seeds
  FILE.go          a file that is a program by itself
  FILE.txtar       an archive with one, such as a finding
  DIR, ./..., …    the main packages that go list finds; with --test, the packages
                   with tests, which are the programs then. A folder src of the
                   time before modules, or one in it, is taken as it was then

Without --runs and --time it makes ` + fmt.Sprint(campaign.DefaultRuns(0)) + ` runs, or one for each program if there are
more. --time is for the runs alone: the debugger and the standard library are built
before, once, for a quarter of an hour at most. What a run has found when its time is up
is tried once more, for up to twenty seconds. The same seed, programs and number of runs give the same findings. A hunt that was
interrupted goes on when the same command is given again, for what is left of its --time.

With --baseline a change of Delve is tried against the release before. What that shows as
well is counted, and is no finding: the script of each is carried out with it, too. And each
session is, and what the release says differently in some message, each time, is a finding:
it is meant, or it is not. Where the release breaks a rule there and the other does not, it is
counted as mended. Every other run of a program is a sweep then, the first one, too: a few
sessions with several settings and many questions, so that a short hunt comes through many
programs; without --runs and --time there are twice as many runs.

With --cover a Delve that counts what of it is executed takes part instead, which misstep
builds; one that is given by its path has to be built with go build -cover. The folder gets
profile.txt, for go tool cover, and coverage.txt, with the share of each package and the
functions of which nothing was executed.

Findings are told by causes, with their classes below; misstep rules says what a rule
demands, and misstep report renders a campaign once more.

Exit codes: 0 nothing found, 1 error, or interrupted before anything was found,
2 usage, 3 findings.`,
		Example: `  misstep hunt
  misstep hunt --time 5m goroot
  misstep hunt --with dlv@v1.26.0 --only add-breakpoint,restart ./...
  misstep hunt --with dlv=./dlv --baseline dlv@v1.27.2
  misstep hunt --test --run TestParse ./parser
  misstep hunt --arg serve --arg --port=0 ./cmd/tool`,
		RunE: c.run,
	}
	f := cmd.Flags()
	c.add(cmd)
	f.BoolVar(&c.cfg.FailFast, "failfast", false, "stop when something is found")
	f.BoolVar(&c.opts.Tests, "test", false, "the programs are the tests of the packages that the patterns name")
	f.StringVar(&c.opts.Run, "run", "", "with --test, only the tests that match this regular expression")
	f.StringArrayVar(&c.opts.Args, "arg", nil, "argument that each program is run with; may be repeated")
	f.StringArrayVar(&c.opts.Against, "against", nil, "also run sessions side by side with this engine, such as dlv@v1.26.0, lldb-dap or reference; may be repeated")
	f.StringVar(&c.opts.Baseline, "baseline", "", "tell what differs from this engine, such as the release before, and only what it does not show as well")
	f.StringSliceVar(&c.opts.Only, "only", nil, "only these transformations, by name, or all of actions, programs or builds")
	f.StringSliceVar(&c.opts.Skip, "skip", nil, "all transformations but these")
	f.StringSliceVar(&c.opts.Oracles, "oracles", campaign.OracleNames, "judges: of the protocol and of each trace, by a recorded run, by transformations, by what the --baseline says; --against adds other debuggers")
	f.StringVar(&c.cover, "cover", "", "folder for a profile of what of Delve the sessions execute, by a build of it that counts")
	f.BoolVar(&c.opts.AllBuilds, "builds", false, "transform the build in all ways, also those for which the standard library has to be compiled anew, once each")
	f.IntVar(&c.cfg.Iterations, "iterations", 8, "transformations on top of each other, at most; three quarters as many of actions are applied to the base itself")
	return cmd
}
