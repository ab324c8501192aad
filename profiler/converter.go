package profiler

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"misstep/internal/proc"
	"misstep/profiler/converted"
)

// A Converter is a program that reads a profile on its standard input and writes it in another format on its standard output.
type Converter struct {
	Text    string // as it was named
	Format  string // of converted.Formats
	Command string // a program, or a package with a version, which is installed, such as example.com/converter@latest
	Args    []string
	// Ways are arguments in which it is also run, each of which says the same in another form.
	Ways [][]string
}

// Converters are those that have a name.
var Converters = []struct {
	Name string
	Converter
}{
	{"gcov2lcov", Converter{Format: converted.LCOV, Command: "github.com/jandelgado/gcov2lcov", Ways: [][]string{{"-use-absolute-source-path"}}}},
	{"gocover-cobertura", Converter{Format: converted.Cobertura, Command: "github.com/boumenot/gocover-cobertura", Ways: [][]string{{"-by-files"}, {"-ignore-non-code-lines"}}}},
}

// ParseConverter reads a converter: one of [Converters], with a version or without, or a format and a command.
//
//	gcov2lcov
//	gcov2lcov@v1.0.5
//	lcov=./converter -v
//	cobertura=example.com/converter@latest
func ParseConverter(text string) (*Converter, error) {
	var names []string
	for _, known := range Converters {
		names = append(names, known.Name)
		name, version, _ := strings.Cut(text, "@")
		if name != known.Name {
			continue
		}
		c := known.Converter
		if version == "" {
			version = "latest"
		}
		c.Text = text
		c.Command += "@" + version
		return &c, nil
	}
	format, command, ok := strings.Cut(text, "=")
	words := strings.Fields(command)
	if !ok || !slices.Contains(converted.Formats, format) || len(words) == 0 {
		return nil, fmt.Errorf("converter %q: expected one of %s, or a format (%s) and a command, as in lcov=./converter", text, strings.Join(names, ", "), strings.Join(converted.Formats, ", "))
	}
	return &Converter{Text: text, Format: format, Command: words[0], Args: words[1:]}, nil
}

// String is the text that ParseConverter read.
func (c *Converter) String() string { return c.Text }

// Installs reports whether the go command installs the converter, so that it is there on each machine.
func (c *Converter) Installs() bool { return strings.Contains(c.Command, "@") }

// Name is the converter's own name: without a version, and without where it lies.
func (c *Converter) Name() string {
	command, _, _ := strings.Cut(c.Command, "@")
	if prefix, _, ok := module.SplitPathVersion(command); ok && c.Installs() {
		command = prefix
	}
	return filepath.Base(command)
}

// Convert has a converter read a run's profile, beside the run's package. The error is a [*ToolError] if the converter fails, and
// an [*Impossible] if it is not to be had.
func (b *Bench) Convert(ctx context.Context, r *Run, c *Converter, args []string) (string, error) {
	path, err := b.Converter(ctx, c)
	if err != nil {
		return "", err
	}
	in, err := os.Open(r.File)
	if err != nil {
		return "", fmt.Errorf("reading a profile: %w", err)
	}
	defer in.Close()
	runCtx, cancel := context.WithTimeout(ctx, b.limit())
	defer cancel()
	env, err := b.environment(ctx, r.Toolchain)
	if err != nil {
		return "", err
	}
	var stdout, stderr capped
	_, err = b.Keeper.Run(runCtx, proc.Spec{Path: path, Args: slices.Concat(c.Args, args), Dir: r.Where, Env: append(env, r.Env...), Stdin: in, Stdout: &stdout, Stderr: &stderr})
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	out := stdout.String()
	if b.BreakTool != nil {
		out = b.BreakTool([]string{"convert", c.Format}, out)
	}
	if runCtx.Err() != nil {
		return out, &ToolError{c.Name(), fmt.Sprintf("it does not end within %s", b.limit())}
	}
	if err != nil {
		if _, failed := exitCode(err); !failed {
			return "", &Impossible{fmt.Sprintf("converter %s: %v", c, err)}
		}
		return out, &ToolError{c.Name(), strings.TrimSpace(stderr.String() + out)}
	}
	return out, nil
}

// Converter is the path of a converter's program, which is installed if it has to be.
func (b *Bench) Converter(ctx context.Context, c *Converter) (string, error) {
	if !c.Installs() {
		path, err := exec.LookPath(c.Command)
		if err != nil {
			return "", &Impossible{fmt.Sprintf("converter %s: %v", c, err)}
		}
		return filepath.Abs(path)
	}
	b.installing.Lock()
	defer b.installing.Unlock()
	if path := b.installed[c.Command]; path != "" {
		return path, nil
	}
	own, err := b.toolchain(ctx, "")
	if err != nil {
		return "", err
	}
	dir, err := b.Keeper.TempDir("converter")
	if err != nil {
		return "", fmt.Errorf("making a folder for a converter: %w", err)
	}
	out, err := b.goCommand(ctx, own, dir, []string{"GOBIN=" + dir, "GOTOOLCHAIN=auto"}, "install", c.Command)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	programs, globErr := filepath.Glob(filepath.Join(dir, "*"))
	if err := errors.Join(err, globErr); err != nil || len(programs) != 1 {
		return "", &Impossible{fmt.Sprintf("go install %s: %v: %s", c.Command, err, strings.TrimSpace(out))}
	}
	if b.installed == nil {
		b.installed = map[string]string{}
	}
	b.installed[c.Command] = programs[0]
	return programs[0], nil
}
