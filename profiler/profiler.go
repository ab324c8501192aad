package profiler

import (
	"fmt"
	"go/version"
	"slices"
	"strings"
)

// Name is how engines that are coverage profilers begin.
const Name = "cover"

// The modes of counters, see go help testflag.
const (
	Set    = "set"
	Count  = "count"
	Atomic = "atomic"
)

// Modes are those of counters.
var Modes = []string{Set, Count, Atomic}

// The ways to run a program.
const (
	ByBuild = "build" // go build -cover
	ByTest  = "test"  // go test -cover, of a test that calls main
	ByAll   = "all"   // go test -cover ./..., of all packages of the module with their tests
)

// A Profiler is a configuration of Go's coverage.
type Profiler struct {
	Go   string // toolchain, as GOTOOLCHAIN names it; empty for the go command's own
	Mode string // empty for count
	Via  string // ByBuild, ByTest, ByAll, or empty for the first that the toolchain has
	Pkgs string // -coverpkg
	Race bool
	Trim bool   // -trimpath
	Way  string // of Ways, by its name; empty for the plain one
}

// options are the keys of a profiler's text.
var options = map[string]func(*Profiler, string) error{
	"go":       func(p *Profiler, v string) error { p.Go = v; return nil },
	"coverpkg": func(p *Profiler, v string) error { p.Pkgs = strings.ReplaceAll(v, "+", ","); return nil },
	"race":     func(p *Profiler, v string) error { p.Race = true; return flagOnly("race", v) },
	"trimpath": func(p *Profiler, v string) error { p.Trim = true; return flagOnly("trimpath", v) },
	"mode": func(p *Profiler, v string) error {
		p.Mode = v
		return oneOf("mode", v, Modes)
	},
	"way": func(p *Profiler, v string) error {
		p.Way = v
		_, err := wayOf(v)
		return err
	},
	"via": func(p *Profiler, v string) error {
		p.Via = v
		return oneOf("via", v, []string{ByBuild, ByTest, ByAll})
	},
}

func flagOnly(name, value string) error {
	if value != "" {
		return fmt.Errorf("%s takes no value, not %q", name, value)
	}
	return nil
}

func oneOf(name, value string, list []string) error {
	if !slices.Contains(list, value) {
		return fmt.Errorf("%s=%q: expected one of %s", name, value, strings.Join(list, ", "))
	}
	return nil
}

// Parse reads a profiler such as
//
//	cover
//	go1.27.4
//	cover@go1.27.4,mode=atomic,coverpkg=./...+fmt,via=test,race,trimpath
//
// Packages to cover are joined by +, as commas are between the options.
func Parse(text string) (Profiler, error) {
	var p Profiler
	name, rest, _ := strings.Cut(text, ",")
	switch toolchain, is := strings.CutPrefix(name, Name+"@"); {
	case is:
		p.Go = toolchain
	case strings.HasPrefix(name, "go1."):
		p.Go = name
	case name != Name:
		return p, fmt.Errorf("profiler %q: expected %s, a toolchain, or both, as in %s@go1.27.4", text, Name, Name)
	}
	if p.Go != "" && !version.IsValid(p.Go) {
		return p, fmt.Errorf("profiler %q: expected a toolchain such as go1.27.4, not %q", text, p.Go)
	}
	if rest == "" {
		return p, nil
	}
	for option := range strings.SplitSeq(rest, ",") {
		key, value, _ := strings.Cut(option, "=")
		set, ok := options[key]
		if !ok {
			return p, fmt.Errorf("profiler %q: unknown option %q; expected one of go, mode, via, coverpkg, race, trimpath, way", text, key)
		}
		if err := set(&p, value); err != nil {
			return p, fmt.Errorf("profiler %q: %w", text, err)
		}
	}
	if p.Go != "" && !version.IsValid(p.Go) {
		return p, fmt.Errorf("profiler %q: expected a toolchain such as go1.27.4, not %q", text, p.Go)
	}
	return p, nil
}

// String is the profiler's text form, which Parse reads back.
func (p Profiler) String() string {
	s := Name
	if p.Go != "" {
		s += "@" + p.Go
	}
	for _, o := range []struct{ key, value string }{{"mode", p.Mode}, {"via", p.Via}, {"coverpkg", strings.ReplaceAll(p.Pkgs, ",", "+")}, {"way", p.Way}} {
		if o.value != "" {
			s += "," + o.key + "=" + o.value
		}
	}
	if p.Race {
		s += ",race"
	}
	if p.Trim {
		s += ",trimpath"
	}
	return s
}

// mode is the mode of the counters.
func (p Profiler) mode() string {
	if p.Mode == "" {
		return Count
	}
	return p.Mode
}
