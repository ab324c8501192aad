package campaign

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"

	"misstep/dap"
	"misstep/finding"
	"misstep/internal/source"
	"misstep/script"
)

// An Example is the finding that stands for its class, as it is when a campaign ends. With
// it a saved stream says all that is needed to show the class and to see it again.
type Example struct {
	Class string `json:"class"`
	// File is the script's, as it was written, and Script its text. Where no session shows the finding
	// the text is empty.
	File   string `json:"file"`
	Script string `json:"script,omitempty"`
	// Root is the folder on disk that the finding's file is relative to, where the program was read from
	// one and the file is there as the finding's session had it; else empty.
	Root string `json:"root,omitempty"`
	// Finding is without its payload. Where the script was reduced, places are still those of the
	// program that it was found in.
	Finding *finding.Finding `json:"finding"`
	// Base and Follow are what was done and shown, up to the difference, in the session that showed
	// it and in the one that it was held against; the last [mostSteps] of each. Follow is empty where no
	// session but a rule was broken.
	Base   []Step `json:"base,omitempty"`
	Follow []Step `json:"follow,omitempty"`
	// Skipped is how many steps came before those.
	Skipped int `json:"skipped,omitempty"`
}

// A Step is an action of a session and what came back, in a few words.
type Step struct {
	Action string `json:"action"`
	Output string `json:"output"`
	// Differs says that the difference showed here.
	Differs bool `json:"differs,omitempty"`
}

// mostSteps bounds the steps of a session that are told, and mostOutput what each says, in characters.
const mostSteps, mostOutput = 40, 300

// exampleOf is the finding with the session that showed it.
func exampleOf(class, file string, script []byte, f *finding.Finding) *Example {
	x := &Example{Class: class, File: file, Script: string(script), Finding: f.Light()}
	s := f.Session()
	x.Base, x.Skipped = steps(s.Base, s.Index)
	// The other session may have come there by more actions: its last event is the one that differs.
	x.Follow, _ = steps(s.Follow, len(s.Follow)-1)
	return x
}

// steps are the events up to one, which differs, and how many were left out before them.
func steps(events []dap.Event, differs int) (list []Step, skipped int) {
	if differs >= 0 && differs+1 < len(events) {
		events = events[:differs+1]
	}
	skipped = max(0, len(events)-mostSteps)
	for i, e := range events[skipped:] {
		action := e.Action.String()
		if e.Action.Kind == "" {
			action = "launch"
		}
		list = append(list, Step{action, source.Shorten(e.Output.String(), mostOutput), i+skipped == differs})
	}
	return list, skipped
}

// tellExamples tells of the example of each class, with the script that was written.
func (c *campaign) tellExamples(r *result) {
	for _, e := range r.examples(0) {
		x := exampleOf(e.class, r.scripts[e.class], r.text(e), e.packed.Finding)
		x.Root = c.root(e.packed)
		c.emit(Event{Type: "example", Example: x})
	}
}

// root is the folder of the program of a finding, if the file that it is about is there as it was debugged:
// not one that was rewritten, or unpacked.
func (c *campaign) root(p *Packed) string {
	i := slices.IndexFunc(c.contents, func(x Content) bool { return x.Name == p.Finding.Program })
	if i < 0 || c.contents[i].here == nil || c.contents[i].here.Unpacked || p.Finding.Place.File == "" {
		return ""
	}
	dir := c.contents[i].here.Dir
	there, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(p.Finding.Place.File)))
	if err != nil {
		return ""
	}
	if len(p.Script) > 0 {
		s, err := script.Parse(p.Script, p.Finding.Class.String())
		if err != nil || !bytes.Equal(s.File(p.Finding.Place.File), there) {
			return ""
		}
	}
	return dir
}
