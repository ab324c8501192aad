package cli

import (
	"time"

	"github.com/spf13/cobra"

	"misstep/omission"
)

// omitFlags are what omit is asked for.
type omitFlags struct {
	query           omission.Query
	toolchain, html string
	deps            []string
	top             int
	asJSON, test    bool
	run, expect     string
	list            string
	lists           bool
	limit           time.Duration
}

func newOmit() *cobra.Command {
	var o omitFlags
	cmd := &cobra.Command{
		Use:   "omit [flags] [PATTERN|HISTORY] [-- ARGS…]",
		Short: "Show what should have happened to an object but did not, and at which branch",
		Long: `Omit records a run of a program and shows, for one of its objects, the operations
that could have been performed on it but were not, each with the branch that
decided against it (Sakurai and Masuhara, SAC 2015).

PATTERN names one program, as for record; without it, the package in this folder.
HISTORY is a file that record --objects has written. Only what is recorded is
looked at: the user's packages, and those of dependencies that --deps names.

The object is given by
  <List:1>             an instance, as the list without --object names them
  main.go:17           what was made in this line; main.go:17#3 the third of them;
                       what a variable got there of a constructor; the variable
                       that is declared there, or the function
  main.go:22:name      what a variable held at this line; name.field, name[3].field
                       or name["key"] what is in it
  name, name.field     the same where it is mentioned last, if no other variable is
                       called so
  User                 all objects of a type
  main.handler         a function: where it could have been called
With --test and without --object or --list, it is what the first assertion that fails reads.

Each line of the output begins with the place of an operation, and says which
condition would have to be other than it was, where, and in which call of its
function. Lines below it are further operations behind the same branch, and the
reasons of what decided there: where the value came from, and which branches led
to it. First come operations that change the object, that are near, and behind
few other branches. Changes that happened, but to a copy, are told before these.

Without --deps, dependencies that are given the object are recorded in a second
run, all that the program imports if nothing was found without them.
With --verify the program is run again, with the same input if that is redirected
from a file (and with none otherwise), each time with one evaluation of one
branch inverted, and first come those whose operation happens then and whose run
is as it should be: it prints what --expect says, or succeeds where it failed.
Of one that fails all other branches that ran are inverted as well, in the time
that is left: what makes it succeed is told of, whatever it does to the object.

Exit codes: 0 nothing was omitted, or the objects were listed; 1 error; 2 usage;
3 there are omissions.`,
		Example: `  misstep omit --test ./shop
  misstep omit --object main.go:17 .
  misstep omit --deps github.com/spf13/... --object main.go:22:flags --verify .
  misstep omit --object '<Config:1>' --of Handler --expect 'listening' ./cmd/server
  misstep record --objects -o run.history . && misstep omit run.history`,
		RunE: func(cmd *cobra.Command, a []string) error {
			name, progArgs, err := programArgs(cmd, a, "program or history")
			if err != nil {
				return err
			}
			o.lists = cmd.Flags().Changed("list")
			if progArgs, err = testArgs(o.run, o.test, progArgs); err != nil {
				return err
			}
			h, err := newHouse(cmd)
			if err != nil {
				return err
			}
			defer h.close()
			return h.omit(cmd, name, progArgs, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.query.Object, "object", "", "what to look at; without it, the objects of the run are listed")
	f.StringVar(&o.query.Field, "of", "", "only operations on this field of the object")
	f.StringSliceVar(&o.deps, "deps", nil, "record these packages of dependencies: a path, or one with /... for all below it; without it, those that may matter")
	f.StringVar(&o.toolchain, "go", "", "toolchain to build with, such as go1.25.0")
	f.IntVar(&o.query.Options.Calls, "calls", omission.MaxCalls, "how many functions a chain from a branch to an operation may have")
	f.IntVar(&o.top, "top", 13, "how many branches are shown, and three times as many objects of the list; 0 is all")
	f.StringVar(&o.list, "list", "", "list the objects whose type or place has this text")
	f.BoolVar(&o.query.Options.Reads, "reads", false, "show operations, too, that only read the object")
	f.BoolVar(&o.query.Types, "types", false, "go by types alone, without an analysis of the whole program: quicker, with more operations")
	f.DurationVar(&o.query.Analysis, "analysis-time", 30*time.Second, "how long the analysis of the whole program may take; --types is used when it is over")
	f.BoolVar(&o.query.Verify, "verify", false, "run the program again with one evaluation of a branch inverted, for each branch")
	f.StringVar(&o.expect, "expect", "", "what the program prints when it is right, a regular expression; with it goes --verify")
	f.IntVar(&o.query.Verifier.Runs, "verify-runs", 100, "how often the program is run for that, at most; and up to four times as often to invert all that ran of one that fails")
	f.DurationVar(&o.query.Verifier.Time, "verify-time", 30*time.Second, "how long that may take")
	f.IntVarP(&o.query.Verifier.Jobs, "jobs", "j", 1, "how many of these runs there are side by side; more than one for programs that do not disturb each other")
	f.BoolVar(&o.asJSON, "json", false, "print JSON")
	f.StringVar(&o.html, "html", "", "write a page of HTML, too, with the run as a tree and the omissions on it; - is standard output")
	f.Int64Var(&o.query.Events, "events", omission.MaxEvents, "look at so many events of the run only; a million takes about half a gigabyte")
	f.BoolVar(&o.test, "test", false, "PATTERN is the folder of a package whose tests are run")
	f.StringVar(&o.run, "run", "", "only the tests that match this regular expression")
	f.DurationVar(&o.limit, "time", time.Minute, "stop recording after this time; 0 is no limit")
	return cmd
}
