package coverage

import (
	"os"
	"regexp"
	"slices"
	"strings"

	"misstep/profiler"
)

// A Fault is a way in which a coverage profiler can be broken, for tests of the relations: what it does to runs, and to what
// tools print and write.
type Fault struct {
	Name string
	Doc  string
	// Rule is the one that it breaks.
	Rule string
	// Run changes a covered run, and Tool what a tool has printed; args are the tool's.
	Run  func(*profiler.Run)
	Tool func(args []string, out string) string
}

// Faults are all.
var Faults = []Fault{
	{Name: "counts-shifted", Doc: "each block has the count of the next one", Rule: Truth, Run: blocksOf(func(b []profiler.Block) []profiler.Block {
		for i := range b[:max(len(b)-1, 0)] {
			b[i].Count = b[i+1].Count
		}
		return b
	})},
	{Name: "block-lost", Doc: "the last block of a profile is missing", Rule: Blocks, Run: blocksOf(func(b []profiler.Block) []profiler.Block { return b[:max(len(b)-1, 0)] })},
	{Name: "set-for-count", Doc: "mode count counts to one", Rule: Truth, Run: func(r *profiler.Run) {
		if r.Profile != nil && r.Profiler.Mode == profiler.Count {
			for i := range r.Profile.Blocks {
				r.Profile.Blocks[i].Count = min(r.Profile.Blocks[i].Count, 1)
			}
		}
	}},
	{Name: "atomic-lost", Doc: "mode atomic loses a count", Rule: Mode, Run: func(r *profiler.Run) {
		if r.Profile != nil && r.Profiler.Mode == profiler.Atomic {
			for i := range r.Profile.Blocks {
				r.Profile.Blocks[i].Count -= min(r.Profile.Blocks[i].Count, 1)
			}
		}
	}},
	{Name: "overlap", Doc: "a block begins within another one", Rule: Blocks, Run: blocksOf(func(b []profiler.Block) []profiler.Block {
		if len(b) > 0 {
			b = append(b, b[0])
		}
		return b
	})},
	{Name: "statements-off", Doc: "blocks have a statement more", Rule: Blocks, Run: blocksOf(func(b []profiler.Block) []profiler.Block {
		for i := range b {
			b[i].Statements++
		}
		return b
	})},
	{Name: "columns-off", Doc: "blocks lie beyond the ends of their lines", Rule: Blocks, Run: blocksOf(func(b []profiler.Block) []profiler.Block {
		for i := range b {
			b[i].EndColumn += 500
		}
		return b
	})},
	{Name: "prints", Doc: "covered programs print something", Rule: Without, Run: func(r *profiler.Run) { r.Stdout += "covered\n" }},
	{Name: "exits", Doc: "covered programs return something else", Rule: Without, Run: func(r *profiler.Run) { r.Code++ }},
	{Name: "dry-fails", Doc: "go build -n -cover fails", Rule: Without, Run: func(r *profiler.Run) {
		if r.Profiler.Dry() {
			r.Failed = "exit code 1: no such file or directory"
		}
	}},
	{Name: "columns-unsaid", Doc: "with -cover the compiler says of no column what it says", Rule: Without, Run: func(r *profiler.Run) {
		r.Explained = reported.ReplaceAllString(r.Explained, "$1:$2: $4")
	}},
	{Name: "errors-accepted", Doc: "a program with an error of types is built with -cover", Rule: Without, Run: func(r *profiler.Run) {
		r.Failed = ""
	}},
	{Name: "bom", Doc: "files with a byte order mark cannot be covered", Rule: Rewrite, Run: func(r *profiler.Run) {
		if slices.ContainsFunc(r.Subject.GoFiles(), func(name string) bool { return strings.HasPrefix(string(r.Subject.File(name)), "\ufeff") }) {
			r.Failed = "exit code 1: main.go:1:1: invalid byte order mark"
		}
	}},
	{Name: "comments-count", Doc: "what a comment is before is not counted", Rule: Rewrite, Run: func(r *profiler.Run) {
		if r.Profile == nil {
			return
		}
		for i, b := range r.Profile.Blocks {
			lines := strings.Split(string(r.Subject.File(r.Subject.FileOf(b.File))), "\n")
			if b.Line < len(lines) && strings.Contains(lines[b.Line], "//") {
				r.Profile.Blocks[i].Count = 0
			}
		}
	}},
	{Name: "pruned-count", Doc: "of a program without what is not executed, half is counted", Rule: Pruned, Run: func(r *profiler.Run) {
		if r.Profile != nil && slices.ContainsFunc(r.Subject.GoFiles(), func(name string) bool {
			return strings.Contains(string(r.Subject.File(name)), "misstep")
		}) {
			for i := range r.Profile.Blocks {
				r.Profile.Blocks[i].Count /= 2
			}
		}
	}},
	{Name: "other-toolchain", Doc: "another toolchain counts one more", Rule: Versions, Run: func(r *profiler.Run) {
		if r.Profile != nil && r.Profiler.Go != "" {
			for i := range r.Profile.Blocks {
				r.Profile.Blocks[i].Count++
			}
		}
	}},
	{Name: "lines-lost", Doc: "what is executed more than once counts once", Rule: Versions, Run: func(r *profiler.Run) {
		if r.Profile != nil {
			for i := range r.Profile.Blocks {
				r.Profile.Blocks[i].Count = min(r.Profile.Blocks[i].Count, 1)
			}
		}
	}},
	{Name: "cover-unsaid", Doc: "binaries do not say that they are covered", Rule: Tools, Run: func(r *profiler.Run) { delete(r.Settings, "-cover") }},
	{Name: "share-alone", Doc: "go test of one package prints another share", Rule: Tools, Run: func(r *profiler.Run) {
		if r.Profiler.Via == profiler.ByAll && len(r.Shares) == 1 {
			for pkg := range r.Shares {
				r.Shares[pkg] = "12.3%"
			}
		}
	}},
	{Name: "profile-torn", Doc: "the profile of several packages cannot be read", Rule: Tools, Run: func(r *profiler.Run) {
		if r.Profiler.Via == profiler.ByAll && r.Profile != nil {
			r.Profile, r.Unread = nil, "its profile: line 3: 0"
		}
	}},
	{Name: "cached-share", Doc: "go test without a profile prints other shares", Rule: Tools, Run: func(r *profiler.Run) {
		if r.Profiler.Via == profiler.ByAll && r.File == "" {
			for pkg := range r.Shares {
				r.Shares[pkg] = "12.3%"
			}
		}
	}},
	{Name: "stale-profile", Doc: "the profile of tests that a change does not reach is that of before", Rule: Tools, Run: func(r *profiler.Run) {
		if r.Cached && r.Profile != nil {
			for i := range r.Profile.Blocks {
				r.Profile.Blocks[i].Line--
			}
		}
	}},
	{Name: "alone-cached", Doc: "the share of one package's tests that comes of the cache is another", Rule: Tools, Run: func(r *profiler.Run) {
		if r.Cached && len(r.Shares) == 1 {
			for pkg := range r.Shares {
				r.Shares[pkg] = "1.2%"
			}
		}
	}},
	{Name: "many-lost", Doc: "of many runs covdata tells of no function that is executed", Rule: Tools, Tool: func(args []string, out string) string {
		if args[0] == "covdata" && strings.Contains(strings.Join(args, " "), "/many-") {
			return "nothing\n"
		}
		return out
	}},
	{Name: "counters-of-tests", Doc: "the counters that a test writes are of one run only", Rule: Tools, Tool: rewriting("of-test-", func(text string) string {
		return lastNumber.ReplaceAllString(text, " 1")
	})},
	{Name: "package-ignored", Doc: "covdata percent tells of other packages than it is asked for", Rule: Tools, Tool: func(args []string, out string) string {
		if len(args) > 3 && args[1] == "percent" && strings.HasPrefix(args[3], "-pkg=") {
			return out + "\tother\t\tcoverage: 1.0% of statements\n"
		}
		return out
	}},
	{Name: "page-counts", Doc: "the page says of each statement that it was executed twice", Rule: Tools, Tool: onPage(func(text string) string {
		return regexp.MustCompile(`title="[1-9]\d*"`).ReplaceAllString(text, `title="2"`)
	})},
	{Name: "page-shades", Doc: "the page shows as paler what is executed more often", Rule: Tools, Tool: onPage(func(text string) string {
		return regexp.MustCompile(`class="cov([1-9])" title="1"`).ReplaceAllString(text, `class="cov10" title="1"`)
	})},
	{Name: "function-missing", Doc: "cover -func leaves out the first function", Rule: Tools, Tool: ofTool("cover", "-func", func(out string) string {
		_, rest, _ := strings.Cut(out, "\n")
		return rest
	})},
	{Name: "share-rounded", Doc: "covdata percent rounds to whole numbers", Rule: Tools, Tool: ofTool("covdata", "percent", func(out string) string {
		return regexp.MustCompile(`\.\d%`).ReplaceAllString(out, ".9%")
	})},
	{Name: "total-off", Doc: "cover -func prints another total", Rule: Tools, Tool: ofTool("cover", "-func", func(out string) string {
		return regexp.MustCompile(`(total:.*)\t\S+%`).ReplaceAllString(out, "$1\t12.3%")
	})},
	{Name: "joined-twice", Doc: "cover -func counts what stands twice in a profile twice", Rule: Tools, Tool: func(args []string, out string) string {
		if len(args) > 1 && strings.HasPrefix(args[1], "-func") && strings.Contains(args[1], "joined-") {
			return strings.ReplaceAll(out, "100.0%", "200.0%")
		}
		return out
	}},
	{Name: "joined-page", Doc: "the page of profiles that were joined shows a block twice", Rule: Tools, Tool: func(args []string, out string) string {
		if len(args) > 1 && strings.HasPrefix(args[1], "-html") && strings.Contains(args[1], "joined-") {
			return onPage(func(text string) string {
				return strings.ReplaceAll(text, `<span class="cov`, `<span></span><span class="cov`)
			})(args, out)
		}
		return out
	}},
	{Name: "merge-overwrites", Doc: "what covdata merge has written has counters of one run only", Rule: Tools, Tool: rewriting("merge-", func(text string) string {
		return lastNumber.ReplaceAllString(text, " 1")
	})},
	{Name: "subtract-keeps", Doc: "covdata subtract subtracts nothing", Rule: Tools, Tool: rewriting("subtract-", func(text string) string {
		return regexp.MustCompile(`(?m) 0$`).ReplaceAllString(text, " 1")
	})},
	{Name: "page-colour", Doc: "the page shows all as executed", Rule: Tools, Tool: onPage(func(text string) string {
		return strings.ReplaceAll(text, `class="cov0" title="0"`, `class="cov8" title="1"`)
	})},
	{Name: "misuse-accepted", Doc: "a profile with a line that is none is read as if it were one", Rule: Refusals, Tool: ofMisuse(func(string) string { return "" })},
	{Name: "misuse-crashes", Doc: "go tool cover crashes where it should refuse", Rule: Refusals, Tool: ofMisuse(func(string) string {
		return "panic: runtime error: index out of range [1] with length 1\n\ngoroutine 1 [running]:\nmain.main()\n"
	})},
	{Name: "misuse-unnamed", Doc: "refusals do not say what they are about", Rule: Refusals, Tool: ofMisuse(func(string) string { return "cover: invalid argument\n" })},
	{Name: "misuse-garbled", Doc: "refusals are formatted wrongly", Rule: Refusals, Tool: ofMisuse(func(out string) string { return out + "%!v(MISSING)\n" })},
	{Name: "converted-lost", Doc: "a converter leaves out lines", Rule: Converters, Tool: ofTool("convert", "", func(out string) string {
		return regexp.MustCompile(`DA:2\d,\d+\n`).ReplaceAllString(out, "")
	})},
	{Name: "converted-sums", Doc: "a converter counts its lines wrongly", Rule: Converters, Tool: ofTool("convert", "", func(out string) string {
		return strings.ReplaceAll(out, "LF:", "LF:1")
	})},
	{Name: "converted-executed", Doc: "a converter takes all lines to be executed", Rule: Converters, Tool: ofTool("convert", "", func(out string) string {
		return strings.ReplaceAll(out, ",0\n", ",1\n")
	})},
	{Name: "converted-format", Doc: "a converter does not end its sections", Rule: Converters, Tool: ofTool("convert", "", func(out string) string {
		return strings.ReplaceAll(out, "end_of_record\n", "")
	})},
	{Name: "converted-file", Doc: "a converter names files that are not there", Rule: Converters, Tool: ofTool("convert", "", func(out string) string {
		return strings.ReplaceAll(out, ".go\n", ".og\n")
	})},
	{Name: "converted-twice", Doc: "a converter lists lines twice", Rule: Converters, Tool: ofTool("convert", "", func(out string) string {
		return regexp.MustCompile(`(DA:\d+,\d+\n)`).ReplaceAllString(out, "$1$1")
	})},
}

// blocksOf breaks the blocks of a run's profile.
func blocksOf(change func([]profiler.Block) []profiler.Block) func(*profiler.Run) {
	return func(r *profiler.Run) {
		if r.Profile != nil {
			r.Profile.Blocks = change(r.Profile.Blocks)
		}
	}
}

// ofTool breaks what a tool prints that is called with an argument.
func ofTool(tool, arg string, change func(string) string) func([]string, string) string {
	return func(args []string, out string) string {
		if len(args) > 1 && args[0] == tool && strings.HasPrefix(args[1], arg) {
			return change(out)
		}
		return out
	}
}

// ofMisuse breaks what go tool cover says of what makes no sense.
func ofMisuse(change func(string) string) func([]string, string) string {
	return func(args []string, out string) string {
		if args[0] == "cover" && strings.Contains(strings.Join(args, " "), misuseFolder) {
			return change(out)
		}
		return out
	}
}

// onPage breaks a page that a tool has written.
func onPage(change func(string) string) func([]string, string) string {
	return func(args []string, out string) string {
		if i := slices.IndexFunc(args, func(a string) bool { return strings.HasSuffix(a, ".html") && strings.HasPrefix(a, "-o=") }); i >= 0 {
			file := strings.TrimPrefix(args[i], "-o=")
			if text, err := os.ReadFile(file); err == nil {
				_ = os.WriteFile(file, []byte(change(string(text))), 0o666)
			}
		}
		return out
	}
}

// rewriting breaks profiles of counters that a command of covdata has written.
func rewriting(from string, change func(string) string) func([]string, string) string {
	return func(args []string, out string) string {
		if len(args) < 4 || args[1] != "textfmt" || !strings.Contains(args[2], from) {
			return out
		}
		file := strings.TrimPrefix(args[3], "-o=")
		if text, err := os.ReadFile(file); err == nil {
			_ = os.WriteFile(file, []byte(change(string(text))), 0o666)
		}
		return out
	}
}
