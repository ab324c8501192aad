package cli

import (
	"time"

	"github.com/spf13/cobra"

	"misstep/triage/bisect"
	"misstep/triage/issue"
	"misstep/triage/localise"
)

// issueFlags say that a finding is written up, and how.
type issueFlags struct {
	write, bisect, localise bool
	project                 string
}

func (i *issueFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&i.write, "issue", false, "print a finding as the text of an issue")
	f.StringVar(&i.project, "for", "", "with --issue, the project whose form it has: delve or go (default what the evidence points to)")
	f.BoolVar(&i.bisect, "bisect", false, "with --issue, say since which version it shows")
	f.BoolVar(&i.localise, "localise", false, "with --issue, say which functions of the debugger to look at")
	for _, other := range []string{"json", "lines", "sarif", "junit", "html"} {
		cmd.MarkFlagsMutuallyExclusive("issue", other)
	}
}

// smallFirst bounds how long a finding is made small before it is bisected or localised.
const smallFirst = time.Minute

func (i *issueFlags) run(cmd *cobra.Command, a []string) error {
	if len(a) != 1 {
		return usagef("--issue takes one finding")
	}
	if i.project != "" && i.project != issue.Delve && i.project != issue.Go {
		return usagef("--for %s: expected %s or %s", i.project, issue.Delve, issue.Go)
	}
	env, given, err := openFinding(cmd, a[0], "")
	if err != nil {
		return err
	}
	defer env.Close()
	w := &issue.Writer{Env: env, For: i.project}
	if i.bisect {
		over := "dlv"
		if i.project == issue.Go || given.Covers() {
			over = "go"
		}
		w.Since = &bisect.Pipeline{Env: env, Over: over, Workers: defaultWorkers(), Budget: smallFirst, Out: cmd.ErrOrStderr()}
	}
	if i.localise {
		w.Look = &localise.Pipeline{Env: env, Workers: defaultWorkers(), Budget: smallFirst, Notice: cmd.ErrOrStderr()}
	}
	if err := w.Write(cmd.Context(), cmd.OutOrStdout(), given); err != nil {
		return reproduces(a[0], asUsage[*bisect.OptionError](err))
	}
	return nil
}
