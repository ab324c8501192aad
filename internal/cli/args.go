package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"misstep/gen"
	"misstep/internal/gobuild"
)

// programArgs splits what a command is given: one pattern, or the package in this folder,
// and the program's arguments after --.
func programArgs(cmd *cobra.Command, a []string, what string) (pattern string, args []string, err error) {
	if n := cmd.ArgsLenAtDash(); n >= 0 {
		a, args = a[:n], a[n:]
	}
	switch len(a) {
	case 0:
		return ".", args, nil
	case 1:
		return a[0], args, nil
	}
	return "", nil, usagef("expected one %s, got %d: %s", what, len(a), strings.Join(a, " "))
}

// testArgs are the arguments of a program, or of a test binary that runs some tests only.
func testArgs(run string, test bool, args []string) ([]string, error) {
	switch {
	case run == "":
		return args, nil
	case !test:
		return nil, usagef("--run chooses tests; it needs --test")
	}
	return append([]string{"-test.run=" + run}, args...), nil
}

// parseSize reads a number of bytes.
func parseSize(text string) (int64, error) {
	factor := int64(1)
	for i, unit := range []string{"K", "M", "G"} {
		if s, ok := strings.CutSuffix(strings.ToUpper(text), unit); ok {
			text, factor = s, 1<<(10*(i+1))
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > 1<<40/factor {
		return 0, fmt.Errorf("%q is no size; expected a number such as 500M", text)
	}
	return n * factor, nil
}

// one finds the one program that a pattern names.
func (h *house) one(cmd *cobra.Command, pattern string, engine gobuild.Engine, test bool) (*gobuild.Program, error) {
	if test {
		return testProgram(pattern)
	}
	finder := &gen.Finder{Cache: h.cache, Keeper: h.keeper, Engine: engine}
	programs, skipped, err := finder.Find(cmd.Context(), []string{pattern})
	if err != nil {
		return nil, err
	}
	if len(programs) == 0 && len(skipped) > 0 {
		return nil, skipped[0]
	}
	if len(programs) != 1 {
		return nil, usagef("%s names %d programs; expected one", pattern, len(programs))
	}
	return programs[0], nil
}

// testProgram is the test binary of the package in a folder.
func testProgram(dir string) (*gobuild.Program, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(abs, "*.go"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("%s: expected the folder of a package with tests", dir)
	}
	return &gobuild.Program{Name: dir, Dir: abs, Target: []string{"."}, Files: files, Test: true}, nil
}

// hasFolder is an error if the folder in which a file will be written is not there, which is better known before the work for it than after. No name is no file.
func hasFolder(option, file string) error {
	dir := filepath.Dir(file)
	if info, err := os.Stat(dir); file != "" && (err != nil || !info.IsDir()) {
		return usagef("%s: there is no folder %s to write %s to", option, dir, filepath.Base(file))
	}
	return nil
}
