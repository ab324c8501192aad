package coverage

import (
	"fmt"
	"regexp"
	"strings"

	"misstep/finding"
)

// What evidence of a coverage profiler points to.
const (
	coverTool = "cover tool"     // cmd/cover: what it inserts, and its reports
	compiler  = "compiler"       // or the linker: counters, and how a covered program runs
	covdata   = "covdata"        // cmd/covdata, which reads counters
	goCommand = "go command"     // which chooses packages, and runs the tools
	testing   = "test framework" // package testing
	converter = "converter"      // another reader of profiles
	debugger  = "debugger"       // that counts by log points
	unclear   = "unclear"
)

// Messages of builds that fail, by who is to blame.
var (
	crashes = regexp.MustCompile(`internal compiler error|duplicate symbol|relocation target|nosplit stack`)
	chooses = regexp.MustCompile(`import cycle|while compiling that package|no required module|cannot find package|argument list too long|setup failed|could not import|no such tool`)
)

// evidenceOf says what a difference most likely is part of.
func evidenceOf(rule string, d difference) *finding.Evidence {
	say := func(points, because string, args ...any) *finding.Evidence {
		return &finding.Evidence{Points: points, Fact: d.kind, About: d.place.String(), Because: fmt.Sprintf(because, args...)}
	}
	if d.detail == "debugger wrong" {
		return say(debugger, "a recorded run has it as the profile does")
	}
	if rule == Converters {
		return say(converter, "the profile itself has it otherwise")
	}
	if rule == Refusals {
		by := map[string]string{"cover": coverTool, "covdata": covdata}[d.kind]
		return say(by, "what a tool says of what it cannot do is its own")
	}
	switch d.kind {
	case "build":
		switch {
		case crashes.MatchString(d.got.Text):
			return say(compiler, "the compiler or the linker fails at a covered build")
		case chooses.MatchString(d.got.Text):
			return say(goCommand, "the go command fails to put the covered packages together")
		}
		return say(coverTool, "what the cover tool has made of the program does not compile")
	case "outside", "backwards", "overlap", "statements", "no-block", "blank", "unknown-file":
		return say(coverTool, "blocks are made of the program's text alone")
	case "no-file", "profile":
		return say(goCommand, "what is covered, and whether anything is written, the go command decides")
	case "cover-func", "cover-html":
		return say(coverTool, "the profile itself has it otherwise")
	case "test-share":
		return say(testing, "the profile itself has it otherwise")
	case "x-tools":
		return say(converter, "the profile itself has it otherwise")
	case "exit", "stdout", "stderr":
		return say(compiler, "a covered program runs differently")
	case strong, weak:
		return say(coverTool, "counters are where the cover tool puts them, as far as the compiler keeps them")
	}
	if strings.HasPrefix(d.kind, "covdata") {
		return say(covdata, "the profile itself has it otherwise")
	}
	return say(unclear, "nothing else is known of it")
}
