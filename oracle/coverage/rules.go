package coverage

import "misstep/finding"

// Oracle is the name of the oracle.
const Oracle = "coverage"

// The rules.
const (
	Without  = "C1-without"
	Pruned   = "C2-pruned"
	Truth    = "C3-truth"
	Mode     = "C4-modes"
	Tools    = "C5-tools"
	Blocks   = "C6-blocks"
	Rewrite  = "C7-rewrite"
	Versions = "C8-versions"
	// Converters is about programs that are not the toolchain's.
	Converters = "C9-converters"
	Refusals   = "C10-refusals"
)

// Rules are those of coverage profilers.
var Rules = finding.Registry{
	{
		ID: Without, Oracle: Oracle,
		Sentence: "A program that is built without -cover is built with it, and prints and returns the same.",
		Source:   "go help build, go help testflag: -cover adds counters, and changes nothing else",
		Help:     "Stacks of panics are compared by functions, lines and their order, without addresses. What a test binary prints of its own result and of coverage is left out.",
	},
	{
		ID: Pruned, Oracle: Oracle,
		Sentence: "Without statements that were not executed, or with others in their place, the rest is executed as often as before.",
		Source:   "Yang et al., Automatic Self-Validation for Code Coverage Profilers (ASE 2019), section III",
		Help:     "What is taken out is overwritten, so that all else stays where it is. A program that then prints something else has executed what was counted 0 times.",
	},
	{
		ID: Truth, Oracle: Oracle,
		Sentence: "A block's count is how often its first statement was executed.",
		Source:   "the recorded run; cmd/cover's own description: one counter at the beginning of each block",
		Help:     "Later statements of a block may have been executed less often, where one before them did not return: a panic, an exit, the end of the program.",
	},
	{
		ID: Mode, Oracle: Oracle,
		Sentence: "What mode set calls executed is what mode count has counted, and mode atomic counts as much as mode count does.",
		Source:   "go help testflag, -covermode",
	},
	{
		ID: Tools, Oracle: Oracle,
		Sentence: "All tools that read a run's counters say the same of it and list each function once, and so do go build and go test, whichever packages are covered beside.",
		Source:   "go doc cmd/covdata, go doc cmd/cover; go help testflag, -coverpkg",
		Help:     "covdata textfmt, percent, func, merge, subtract and intersect; go tool cover -func and -html; the share that a test prints; golang.org/x/tools/cover.",
	},
	{
		ID: Blocks, Oracle: Oracle,
		Sentence: "Each statement of a covered package is in exactly one block, which lies within its file and counts its statements.",
		Source:   "golang.org/x/tools/cover, ProfileBlock; go doc cmd/cover",
		Help:     "Functions named _, which nothing can execute, need not be listed, nor need statements that are empty.",
	},
	{
		ID: Rewrite, Oracle: Oracle,
		Sentence: "Statements of a program that is rewritten so that it is the same to the language are executed as often as before.",
		Source:   "The Go Programming Language Specification, Lexical elements, Declarations and scope; Yang et al. (ASE 2019)",
	},
	{
		ID: Versions, Oracle: Oracle,
		Sentence: "Another toolchain counts each statement as often, and a debugger comes to it as often.",
		Source:   "Lehmann and Pradel, Feedback-Directed Differential Testing (FSE 2018), for profilers",
		Help:     "A debugger counts by log points on lines on which a block begins with a simple statement. Where it disagrees with the profile, a recorded run says which of the two is wrong.",
	},
	{
		ID: Converters, Oracle: Oracle,
		Sentence: "What a converter makes of a profile is what its format demands, and says of each line what the profile does.",
		Source:   "geninfo(1), section TRACEFILE FORMAT; Cobertura's coverage-04.dtd",
		Help:     "A line on which a statement begins is there, counts as executed if one that begins on it was, and as often as one of the blocks on it at least and as all of them together at most. Sums are those of what is listed; functions, if any are listed, all are.",
	},
	{
		ID: Refusals, Oracle: Oracle,
		Sentence: "What makes no sense to a tool is refused by a message that says what it is about, and not by a crash; nothing is lost.",
		Source:   "go doc cmd/cover, go doc cmd/covdata; golang.org/x/tools/cover, ParseProfiles",
		Help:     "Profiles with lines that are none, counters that are cut off or damaged, files and folders that there are not, flags that do not go together. What could be read as something that makes sense, such as an unknown mode, may be accepted.",
	},
}
