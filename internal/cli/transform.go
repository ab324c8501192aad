package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/tools/txtar"

	"misstep/internal/gobuild"
	"misstep/transform/rewrite"
)

func newTransform() *cobra.Command {
	var (
		list    bool
		explain string
		exact   int
		chain   rewrite.Chain
		archive bool
	)
	cmd := &cobra.Command{
		Use:   "transform [flags] NAME[,NAME…] PROGRAM",
		Short: "Show what a transformation of programs does, list all of them, or explain one",
		Long: `Transform applies a transformation of programs to a program, at a site that the
seed chooses, and prints the result. Each line has two numbers: that of the old
line it stems from, or + if the line is the transformation's own, and its own.
Old lines that are gone are listed after.

Several names, with commas between, are applied one on the result of the other;
the old lines are those of the first program then.

PROGRAM is FILE.go, FILE.txtar, corpus/NAME, goroot/NAME.go or a folder.`,
		Example: `  misstep transform --list
  misstep transform --explain rename-local
  misstep transform rename-local corpus/bank
  misstep transform insert-dead-code,blank-lines --seed 7 main.go`,
		RunE: func(cmd *cobra.Command, a []string) error {
			out := cmd.OutOrStdout()
			switch {
			case explain != "":
				rule, err := relation(explain)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(out, "%s: %s\n", explain, rule.Sentence)
				return err
			case list || len(a) == 0:
				return listTransformations(out)
			case len(a) != 2:
				return usagef("expected a transformation and a program; usage: %s", cmd.UseLine())
			}
			names := strings.Split(a[0], ",")
			for _, name := range names {
				if _, ok := rewrite.Lookup(name); ok {
					continue
				}
				if _, err := relation(name); err != nil {
					return err
				}
				return usagef("%s does not transform programs; misstep transform --list says which do", name)
			}
			h, err := newHouse(cmd)
			if err != nil {
				return err
			}
			defer h.close()
			if exact >= 0 {
				n := uint64(exact)
				chain.Choices = &n
			}
			return h.transform(cmd, names, a[1], &chain, archive)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&list, "list", false, "list all transformations: of actions, of programs, of the build")
	f.StringVar(&explain, "explain", "", "print the documentation of a transformation")
	f.Uint64Var(&chain.Seed, "seed", 1, "seed of the choice of the site, and of what is done there")
	f.StringVar(&chain.Site, "site", "", "apply the first transformation at this site, file:line:column, instead of one of the seed's")
	f.IntVar(&exact, "exact-seed", -1, "make the choices of the first transformation with this seed, as a finding's relate line gives it")
	f.BoolVar(&archive, "txtar", false, "print the transformed program as an archive, without the map of lines")
	return cmd
}

// transform applies rewrites in turn and prints the result.
func (h *house) transform(cmd *cobra.Command, names []string, pattern string, c *rewrite.Chain, archive bool) error {
	ctx, out := cmd.Context(), cmd.OutOrStdout()
	var err error
	if c.Engine, err = parseEngine("dlv"); err != nil {
		return err
	}
	program, err := h.one(cmd, pattern, c.Engine, false)
	if err != nil {
		return err
	}
	c.Keeper, c.Cache = h.keeper, h.cache
	result, lines, links, err := c.Apply(ctx, program, names)
	if err != nil {
		return err
	}
	if !archive {
		for _, l := range links {
			fmt.Fprintf(out, "# %s %s, one of %d sites\n", l.Name, l.Params, l.Sites)
		}
		_, err = io.WriteString(out, rewrite.Listing(result, lines))
		return err
	}
	files, _, err := gobuild.Pack(result)
	if err != nil {
		return err
	}
	ar := &txtar.Archive{}
	for _, f := range files {
		ar.Files = append(ar.Files, txtar.File{Name: f.Name, Data: f.Data})
	}
	_, err = out.Write(txtar.Format(ar))
	return err
}
