package coverage

import (
	"bytes"
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"slices"

	"misstep/profiler"
)

// testEdited has the go command run all tests, changes the layout of one of the files that are covered, and runs them again: the profile is that of the
// text as it is, whichever results the go command has in its cache. It is held against that of tests which run once more.
func (c *Case) testEdited(ctx context.Context, r *profiler.Run, seed uint64) (made int, all []difference, err error) {
	if seed%2 != 1 || r.Profiler.Via != profiler.ByAll || r.Profiler.Pkgs == "" || !r.Profiler.Comparable() || r.Code != 0 || r.Profile == nil {
		return 0, nil, nil
	}
	var files []string
	for _, b := range r.Profile.Merged() {
		if name := c.Subject.FileOf(b.File); name != "" && !slices.Contains(files, name) {
			files = append(files, name)
		}
	}
	if len(files) == 0 {
		return 0, nil, nil
	}
	name := files[seed/2%uint64(len(files))]
	before := c.Subject.File(name)
	after, ok := oneLineMore(before)
	if !ok {
		return 0, nil, nil
	}
	cached, anew, again, err := c.Bench.Edited(ctx, r, name, before, after)
	if err != nil {
		return 0, nil, fmt.Errorf("running tests of a changed program: %w", err)
	}
	if cached.Code != anew.Code || cached.Profile == nil || anew.Profile == nil || again.Profile == nil {
		return 0, nil, nil // other rules ask for profiles
	}
	want := executed(anew.Profile.Merged())
	if _, varying := sameBlocks("test-share", want, executed(again.Profile.Merged())); len(varying) > 0 {
		return 0, nil, nil // what the tests execute is not the same each time
	}
	made, all = sameBlocks("test-share", want, executed(cached.Profile.Merged()))
	for i := range all {
		all[i].node, all[i].detail = "edited", all[i].node
	}
	return made, all, nil
}

// executed are blocks with a count of one, if they were executed at all: how often may vary.
func executed(blocks []profiler.Block) []profiler.Block {
	blocks = slices.Clone(blocks)
	for i := range blocks {
		blocks[i].Count = min(blocks[i].Count, 1)
	}
	return blocks
}

// oneLineMore is a file with an empty line behind its package clause. It is not ok if the file does not parse, or says where its lines are.
func oneLineMore(text []byte) ([]byte, bool) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", text, parser.PackageClauseOnly)
	if err != nil || bytes.Contains(text, []byte("//line ")) || bytes.Contains(text, []byte("/*line ")) {
		return nil, false
	}
	at := fset.Position(f.Name.End()).Offset
	return slices.Concat(text[:at], []byte("\n\n"), text[at:]), true
}
