package coverage

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"misstep/profiler"
)

// A misuse is something that a tool cannot do: a profile or a folder with counters that is none, files that there are not, flags
// that make no sense. Misuses are of the families that the tools' usages and the formats of their files have.
type misuse struct {
	name, doc string
	// counted says that it takes a folder with counters, which not all toolchains leave.
	counted bool
	// reads says that it goes wrong only once the profile was read, for which there must be the files that it speaks of.
	reads bool
	// args are the tool's arguments, with what has to be laid out for them.
	args func(*setup) ([]string, error)
	// refused says that the tool must fail. What may be read as something that makes sense need not be refused.
	refused bool
	// names is what a refusal has to speak of; empty if that is left to the tool.
	names func(*setup) string
	// lost says what of the user's is not as it was; nil if nothing is to be looked at.
	lost func(context.Context, *Case, *setup) (string, error)
}

// A setup is a folder beside a run, in which what a misuse needs is laid out.
type setup struct {
	run  *profiler.Run
	dir  string
	seed uint64
	line string // the profile's line that was made wrong
}

// blamed is the wrong line of a profile.
func blamed(a *setup) string { return a.line }

// says is a name that every refusal has.
func says(name string) func(*setup) string { return func(*setup) string { return name } }

// misuses are all: those of profiles are tried with -func and with -html.
func misuses() []misuse {
	all := []misuse{
		{name: "cover/no-profile", doc: "a profile that there is not", refused: true, names: says("nowhere.out"), args: ofCover("-func={dir}/nowhere.out")},
		{name: "cover/folder", doc: "a folder for a profile", refused: true, names: func(a *setup) string { return filepath.Base(a.dir) }, args: ofCover("-func={dir}")},
		{name: "cover/page-nowhere", doc: "a page in a folder that there is not", reads: true, refused: true, names: says("page.html"), args: ofCover("-html={profile}", "-o={dir}/nowhere/page.html")},
		{name: "cover/list-nowhere", doc: "a list in a folder that there is not", reads: true, refused: true, names: says("list.txt"), args: ofCover("-func={profile}", "-o={dir}/nowhere/list.txt")},
		{name: "cover/both", doc: "a list and a page at once", refused: true, args: ofCover("-func={profile}", "-html={profile}", "-o={dir}/both")},
		{name: "cover/more", doc: "an argument too many", refused: true, args: ofCover("-func={profile}", "{dir}/more")},
		{name: "cover/flag", doc: "a flag that there is not", refused: true, names: says("nonsense"), args: ofCover("-nonsense={dir}")},
		{name: "cover/mode", doc: "a mode that there is not", refused: true, names: says("nonsense"), args: ofCover("-mode=nonsense", "{source}")},
		{name: "cover/var", doc: "a variable with a name that is none", refused: true, names: says("not-a-name"), args: ofCover("-mode=set", "-var=not-a-name", "{source}")},
		{name: "cover/no-source", doc: "a source that there is not", refused: true, names: says("nowhere.go"), args: ofCover("-mode=set", "{dir}/nowhere.go")},
		{name: "cover/bad-source", doc: "a source that does not parse", refused: true, names: says("bad.go:3"), args: ofCover("-mode=set", "{bad}")},
		{name: "cover/source-nowhere", doc: "a covered source in a folder that there is not", refused: true, names: says("covered.go"), args: ofCover("-mode=set", "-o={dir}/nowhere/covered.go", "{source}")},
		{name: "covdata/command", doc: "a command that there is not", counted: true, refused: true, names: says("nonsense"), args: ofCovdata("nonsense", "-i={data}")},
		{name: "covdata/no-folders", doc: "no folders", counted: true, refused: true, args: ofCovdata("percent")},
		{name: "covdata/no-folder", doc: "a folder that there is not", counted: true, refused: true, names: says("nowhere"), args: ofCovdata("percent", "-i={dir}/nowhere")},
		{name: "covdata/one-of-two", doc: "a folder that there is not, beside one", counted: true, refused: true, names: says("nowhere"), args: ofCovdata("percent", "-i={data},{dir}/nowhere")},
		{name: "covdata/file", doc: "a file for a folder", counted: true, refused: true, names: says("source.go"), args: ofCovdata("percent", "-i={source}")},
		{name: "covdata/flag", doc: "a flag that there is not", counted: true, refused: true, names: says("nonsense"), args: ofCovdata("percent", "-nonsense={dir}")},
		{name: "covdata/more", doc: "an argument too many", counted: true, refused: true, args: ofCovdata("percent", "-i={data}", "{dir}/more")},
		{name: "covdata/no-output", doc: "a profile that is to be written nowhere", counted: true, refused: true, args: ofCovdata("textfmt", "-i={data}")},
		{name: "covdata/profile-nowhere", doc: "a profile in a folder that there is not", counted: true, refused: true, names: says("counts.out"), args: ofCovdata("textfmt", "-i={data}", "-o={dir}/nowhere/counts.out")},
		{name: "covdata/merge-nowhere", doc: "counters that are merged into a folder that there is not", counted: true, refused: true, names: says("nowhere"), args: ofCovdata("merge", "-i={data}", "-o={dir}/nowhere")},
		{name: "covdata/subtract-one", doc: "one folder where one is to be subtracted from another", counted: true, refused: true, args: ofCovdata("subtract", "-i={data}", "-o={empty}")},
		{name: "covdata/empty", doc: "a folder without counters", counted: true, args: ofCovdata("percent", "-i={empty}")},
		{name: "covdata/cut-meta", doc: "a description of counters that is cut off", counted: true, refused: true, names: says("covmeta."), args: damaged("covmeta.", cutOff)},
		{name: "covdata/cut-counters", doc: "counters that are cut off", counted: true, refused: true, names: says("covcounters."), args: damaged("covcounters.", cutOff)},
		{name: "covdata/damaged-meta", doc: "a description of counters in which a bit is another", counted: true, args: damaged("covmeta.", flipped)},
		{name: "covdata/damaged-counters", doc: "counters in which a bit is another", counted: true, args: damaged("covcounters.", flipped)},
		{name: "covdata/merge-in-place", doc: "counters that are merged into their own folder", counted: true, args: ofCovdata("merge", "-i={copy}", "-o={copy}"), lost: emptied},
	}
	for _, p := range wrongProfiles {
		for _, as := range []string{"func", "html"} {
			args := []string{"-" + as + "={wrong}"}
			if as == "html" {
				args = append(args, "-o={dir}/page.html")
			}
			m := misuse{name: as + "/" + p.name, doc: p.doc, refused: p.refused, args: p.with(args)}
			if p.named {
				m.names = blamed
			}
			all = append(all, m)
		}
	}
	return all
}

// A wrongProfile makes a line of a profile wrong, the first one of a block.
type wrongProfile struct {
	name, doc      string
	refused, named bool
	// text is the profile, made of its header, its first line and the rest, and the line that is wrong.
	text func(header, first, rest string) (all, wrong string)
}

// ofLine is a profile in which the first line of a block is another.
func ofLine(change func(file, block, statements, count string) string) func(header, first, rest string) (string, string) {
	return func(header, first, rest string) (string, string) {
		words := strings.Fields(first)
		at := strings.LastIndex(words[0], ":")
		line := change(words[0][:at], words[0][at+1:], words[1], words[2])
		return header + "\n" + line + "\n" + rest, line
	}
}

// wrongProfiles are of each kind that the format has: a header, and lines with a file, two positions and two numbers.
var wrongProfiles = []wrongProfile{
	{name: "no-mode", doc: "a profile without a mode", refused: true, named: true, text: func(_, first, rest string) (string, string) { return first + "\n" + rest, first }},
	{name: "other-mode", doc: "a mode that there is not", text: func(_, first, rest string) (string, string) {
		return "mode: nonsense\n" + first + "\n" + rest, "nonsense"
	}},
	{name: "two-modes", doc: "two profiles, one after the other", named: true, text: func(header, first, rest string) (string, string) {
		text := header + "\n" + first + "\n" + rest
		return text + text, header
	}},
	{name: "no-columns", doc: "positions without columns", refused: true, named: true, text: ofLine(func(file, _, n, count string) string { return file + ":1,2 " + n + " " + count })},
	{name: "no-count", doc: "a line without a count", refused: true, named: true, text: ofLine(func(file, block, n, _ string) string { return file + ":" + block + " " + n })},
	{name: "no-file", doc: "a line without a file", refused: true, named: true, text: ofLine(func(_, block, n, count string) string { return block + " " + n + " " + count })},
	{name: "large-count", doc: "a count that no integer holds", named: true, text: ofLine(func(file, block, n, _ string) string { return file + ":" + block + " " + n + " 18446744073709551615" })},
	{name: "large-line", doc: "a line that no integer holds", refused: true, named: true, text: ofLine(func(file, _, n, count string) string {
		return file + ":99999999999999999999.1,99999999999999999999.2 " + n + " " + count
	})},
	{name: "negative", doc: "a negative count", refused: true, named: true, text: ofLine(func(file, block, n, _ string) string { return file + ":" + block + " " + n + " -1" })},
	{name: "word", doc: "a number of statements that is none", refused: true, named: true, text: ofLine(func(file, block, _, count string) string { return file + ":" + block + " many " + count })},
	{name: "more", doc: "a line with a number too many", refused: true, named: true, text: ofLine(func(file, block, n, count string) string { return file + ":" + block + " " + n + " " + count + " 7" })},
	{name: "backwards", doc: "a block that ends before it begins", text: ofLine(func(file, _, n, count string) string { return file + ":2.5,1.1 " + n + " " + count })},
	{name: "beyond", doc: "a block that ends behind its file", text: ofLine(func(file, _, n, count string) string { return file + ":1.1,99999.9 " + n + " " + count })},
	{name: "nowhere", doc: "a file that there is not", refused: true, text: ofLine(func(file, block, n, count string) string {
		return strings.TrimSuffix(file, filepath.Base(file)) + "nowhere.go:" + block + " " + n + " " + count
	})},
	{name: "two-numbers", doc: "a block with two numbers of statements", text: func(header, first, rest string) (string, string) {
		words := strings.Fields(first)
		line := words[0] + " 77 " + words[2]
		return header + "\n" + first + "\n" + line + "\n" + rest, line
	}},
	{name: "blank", doc: "an empty line", text: func(header, first, rest string) (string, string) {
		return header + "\n\n" + first + "\n" + rest, ""
	}},
	{name: "bytes", doc: "bytes that are no text", refused: true, text: func(header, _, _ string) (string, string) { return header + "\n\x01\x02\xff\n", "" }},
	{name: "empty", doc: "an empty file", text: func(string, string, string) (string, string) { return "", "" }},
}

// with are the arguments of a tool that reads the wrong profile.
func (p wrongProfile) with(args []string) func(*setup) ([]string, error) {
	return func(a *setup) ([]string, error) {
		text, err := os.ReadFile(a.run.File)
		if err != nil {
			return nil, fmt.Errorf("reading a profile: %w", err)
		}
		header, blocks, _ := strings.Cut(string(text), "\n")
		first, rest, _ := strings.Cut(blocks, "\n")
		if len(strings.Fields(first)) != 3 || !strings.Contains(first, ":") {
			return nil, &profiler.Impossible{Reason: "its profile has no block"}
		}
		wrong, line := p.text(header, first, rest)
		a.line = line
		if err := os.WriteFile(filepath.Join(a.dir, "wrong.out"), []byte(wrong), 0o666); err != nil {
			return nil, fmt.Errorf("writing a profile: %w", err)
		}
		return ofCover(args...)(a)
	}
}

// ofCover and ofCovdata are arguments of these tools, in which names in braces stand for what is laid out.
func ofCover(args ...string) func(*setup) ([]string, error) {
	return func(a *setup) ([]string, error) { return a.laid(append([]string{"cover"}, args...)) }
}

func ofCovdata(args ...string) func(*setup) ([]string, error) {
	return func(a *setup) ([]string, error) { return a.laid(append([]string{"covdata"}, args...)) }
}

// laid lays out what arguments speak of.
func (a *setup) laid(args []string) ([]string, error) {
	paths := map[string]string{
		"dir": a.dir, "profile": a.run.File, "data": a.run.Data, "wrong": filepath.Join(a.dir, "wrong.out"),
		"source": filepath.Join(a.dir, "source.go"), "bad": filepath.Join(a.dir, "bad.go"), "empty": filepath.Join(a.dir, "empty"), "copy": filepath.Join(a.dir, "copy"),
	}
	if err := os.WriteFile(paths["source"], []byte("package p\n\nfunc f() int { return 1 }\n"), 0o666); err != nil {
		return nil, fmt.Errorf("writing a source: %w", err)
	}
	if err := os.WriteFile(paths["bad"], []byte("package p\n\nfunc f( int { return 1 }\n"), 0o666); err != nil {
		return nil, fmt.Errorf("writing a source: %w", err)
	}
	if err := os.MkdirAll(paths["empty"], 0o777); err != nil {
		return nil, fmt.Errorf("making a folder: %w", err)
	}
	if a.run.Data != "" && slices.ContainsFunc(args, func(arg string) bool { return strings.Contains(arg, "{copy}") }) {
		if err := os.CopyFS(paths["copy"], os.DirFS(a.run.Data)); err != nil {
			return nil, fmt.Errorf("copying counters: %w", err)
		}
	}
	var all []string
	for _, arg := range args {
		for name, path := range paths {
			arg = strings.ReplaceAll(arg, "{"+name+"}", path)
		}
		all = append(all, arg)
	}
	return all, nil
}

// damaged are the arguments of covdata for a copy of the counters of which one file is another.
func damaged(prefix string, change func([]byte, uint64) []byte) func(*setup) ([]string, error) {
	return func(a *setup) ([]string, error) {
		args, err := ofCovdata("percent", "-i={copy}")(a)
		if err != nil {
			return nil, err
		}
		files, err := filepath.Glob(filepath.Join(a.dir, "copy", prefix+"*"))
		if err != nil || len(files) == 0 {
			return nil, &profiler.Impossible{Reason: "the run has left no counters"}
		}
		data, err := os.ReadFile(files[0])
		if err != nil {
			return nil, fmt.Errorf("reading counters: %w", err)
		}
		if err := os.WriteFile(files[0], change(data, a.seed), 0o666); err != nil {
			return nil, fmt.Errorf("writing counters: %w", err)
		}
		return args, nil
	}
}

// cutOff is the beginning of a file, at most half of it.
func cutOff(data []byte, seed uint64) []byte { return data[:seed%uint64(len(data)/2+1)] }

// flipped is a file with the lowest bit of a byte of its second half changed: what its header says of sizes stays.
func flipped(data []byte, seed uint64) []byte {
	if len(data) > 0 {
		half := len(data) / 2
		data[half+int(seed%uint64(len(data)-half))] ^= 1
	}
	return data
}

// emptied holds counters that were to be merged into their own folder against what they were. The tool may have refused it.
func emptied(ctx context.Context, c *Case, a *setup) (string, error) {
	before, code, err := c.Bench.Ask(ctx, a.run, "covdata", "percent", "-i="+a.run.Data)
	if err != nil || code != 0 {
		return "", err // it cannot read them in the first place
	}
	after, code, err := c.Bench.Ask(ctx, a.run, "covdata", "percent", "-i="+filepath.Join(a.dir, "copy"))
	if err != nil || code == 0 && after == before {
		return "", err
	}
	return cmp.Or(strings.TrimSpace(after), fmt.Sprintf("exit code %d", code)), nil
}

// misuseFolder begins the names of folders in which misuses are laid out.
const misuseFolder = "misuse-"

// Misuses are the names of what rule C10 asks for, each with what it is.
func Misuses() []Misuse {
	var all []Misuse
	for _, m := range misuses() {
		all = append(all, Misuse{m.name, m.doc})
	}
	return all
}

// A Misuse is something that a tool cannot do.
type Misuse struct{ Name, Doc string }
