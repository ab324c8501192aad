package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"misstep/report"
	"misstep/script"
	"misstep/triage/bisect"
	"misstep/triage/issue"
	"misstep/triage/localise"
	"misstep/triage/reduce"
)

// issueFlags say that a finding is written up, and how.
type issueFlags struct {
	write, study, bisect, localise bool
	most                           int
	project                        string
}

func (i *issueFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&i.write, "issue", false, "print a finding as the text of an issue")
	f.BoolVar(&i.study, "study", false, "find out more of each cause before the reports are written: commands of dlv's terminal that show it, and what --bisect and --localise add; kept beside the scripts")
	f.IntVar(&i.most, "most", 0, "with --study, stop when more is known of so many causes; 0 for all")
	f.StringVar(&i.project, "for", "", "with --issue, the project whose form it has: delve or go (default what the evidence points to)")
	f.BoolVar(&i.bisect, "bisect", false, "with --issue or --study, say since which version it shows")
	f.BoolVar(&i.localise, "localise", false, "with --issue or --study, say which functions of the debugger to look at")
	for _, other := range []string{"json", "lines", "sarif", "junit", "html", "study"} {
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
	w := i.writer(cmd, env, given)
	if err := w.Write(cmd.Context(), cmd.OutOrStdout(), given); err != nil {
		return reproduces(a[0], asUsage[*bisect.OptionError](err))
	}
	return nil
}

// writer is what writes a finding up.
func (i *issueFlags) writer(cmd *cobra.Command, env *script.Env, given *script.Script) *issue.Writer {
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
	return w
}

// studies finds out more of a campaign's causes. What is known already is not asked again; what cannot be found out is told, and
// the others go on.
func (i *issueFlags) studies(cmd *cobra.Command, dir string) error {
	if report.Folder(dir) == "" {
		return usagef("--study: %s is no folder of a hunt", dir)
	}
	c, err := report.ReadCampaign(cmd.Context(), dir)
	if err != nil {
		return err
	}
	env, err := newEnv(cmd, "")
	if err != nil {
		return err
	}
	defer env.Close()
	done := 0
	for _, x := range c.ToStudy() {
		known, left := x.Study, *i
		if known != nil {
			left.bisect, left.localise = i.bisect && known.Since == "", i.localise && len(known.Functions) == 0
			if !left.bisect && !left.localise {
				continue
			}
		}
		if i.most > 0 && done == i.most {
			break
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "%s\n", x.Class)
		s, err := left.writer(cmd, env, x.Script).Study(cmd.Context(), x.Script)
		if cmd.Context().Err() != nil {
			return context.Cause(cmd.Context())
		}
		if errors.Is(err, reduce.ErrNotReproduced) {
			err = errors.New("it does not show any more")
		}
		if err != nil {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: %v\n", x.Class, err)
			continue
		}
		if known != nil && !left.bisect {
			s.Since = known.Since
		}
		if known != nil && !left.localise {
			s.Functions = known.Functions
		}
		if err := c.Keep(x, s); err != nil {
			return err
		}
		done++
	}
	return nil
}
