package view

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"misstep/history"
	"misstep/internal/source"
)

// chunkRows is how many rows are in a chunk.
const chunkRows = 8192

// encodeRows writes a chunk: how many rows it has, and their columns one after another,
// a varint for each row. What and size are written as they are. The others are signed
// (zigzag) differences: parent, time, object to the row before; first to where the
// children of the one before end, of rows with children alone; end to the row's own
// time, of activations that ended (0 of others); aux to that of the last row with the
// same what.
func encodeRows(rows []row) []byte {
	out := binary.AppendUvarint(nil, uint64(len(rows)))
	for _, r := range rows {
		out = binary.AppendUvarint(out, uint64(r.what))
	}
	for _, r := range rows {
		out = binary.AppendUvarint(out, uint64(r.size))
	}
	differences := func(of func(r row) int64) {
		last := int64(0)
		for _, r := range rows {
			v := of(r)
			out = binary.AppendVarint(out, v-last)
			last = v
		}
	}
	differences(func(r row) int64 { return int64(r.parent) })
	behind := int64(0)
	for _, r := range rows {
		if r.size > 0 {
			out = binary.AppendVarint(out, int64(r.first)-behind)
			behind = int64(r.first) + int64(r.size)
		}
	}
	differences(func(r row) int64 { return r.time })
	for _, r := range rows {
		if r.end < 0 {
			out = binary.AppendVarint(out, 0)
		} else {
			out = binary.AppendVarint(out, r.end-r.time)
		}
	}
	differences(func(r row) int64 { return int64(r.object) })
	same := map[uint32]uint32{}
	for _, r := range rows {
		out = binary.AppendVarint(out, int64(r.aux)-int64(same[r.what]))
		same[r.what] = r.aux
	}
	return out
}

// index is what the page needs when it is opened.
type index struct {
	Program string      `json:"program"`
	Notes   []string    `json:"notes"`
	Events  int64       `json:"events"`
	Rows    int         `json:"rows"`
	Roots   int         `json:"roots"`
	Chunk   int         `json:"chunk"`
	Object  int         `json:"object"`
	Objects int         `json:"objects"`
	Types   []string    `json:"types"`
	Files   []string    `json:"files"`
	Funcs   []funcText  `json:"funcs"`
	Whats   []whatText  `json:"whats"`
	Texts   []string    `json:"texts"`
	Boxes   []balloonAt `json:"balloons"`
	Before  []stepAt    `json:"before"`
	After   []stepAt    `json:"after"`
	// Badges are rows and how many balloons are below each, in turn.
	Badges []int `json:"badges"`
}

// funcText is name, file, line, last line.
type funcText [4]any

// whatText is kind, function, file, line, column, and the numbers of three texts: what
// the row says, how it came out, and the line of the source.
type whatText [8]int

// balloonAt is a balloon of the page: text before, of, and after the object.
type balloonAt struct {
	Rank     int      `json:"rank"`
	Text     []string `json:"text"`
	Func     string   `json:"func"`
	File     int      `json:"file"`
	Line     int      `json:"line"`
	Column   int      `json:"column"`
	Branch   string   `json:"branch"`
	Outcome  string   `json:"outcome"`
	BranchAt [2]int   `json:"branchAt"` // file, line
	Distance int      `json:"distance"`
	Writes   bool     `json:"writes"`
	Verified string   `json:"verified"`
	Calls    []int    `json:"calls"`
	Rows     []int32  `json:"rows"`
	Why      []stepAt `json:"why"`
}

// stepAt is text, file (-1 is none of the page's), line, depth.
type stepAt [4]any

// texts numbers texts.
type texts struct {
	list []string
	of   map[string]int
}

func newTexts() *texts { return &texts{[]string{}, map[string]int{}} }

func (t *texts) number(s string) int {
	n, ok := t.of[s]
	if !ok {
		n = len(t.list)
		t.of[s] = n
		t.list = append(t.list, s)
	}
	return n
}

// encodeIndex writes the index, and the objects, whose types it holds.
func (p *pageData) encodeIndex() (index, objects []byte, err error) {
	plan := p.reader.Plan
	x := p.index()
	names := newTexts()
	for _, i := range p.objects {
		objects = binary.AppendUvarint(objects, uint64(names.number(i.Type)))
		file, line := 0, 0
		if i.Made >= 0 {
			s := plan.Sites[i.Made]
			file, line = 1+plan.Funcs[s.Func].File, s.Line
			if s.Variable > 0 {
				line = 1 + sortedBelow(p.sources.starts[file-1], s.Variable-1)
			}
		}
		for _, v := range []int64{int64(file), int64(line), i.First, i.Events} {
			objects = binary.AppendUvarint(objects, uint64(v))
		}
	}
	x.Types = names.list
	index, err = json.Marshal(x)
	if err != nil {
		return nil, nil, fmt.Errorf("writing the index of the page: %w", err)
	}
	return index, objects, nil
}

// index is the index without the types.
func (p *pageData) index() *index {
	plan := p.reader.Plan
	x := &index{
		Program: plan.Program, Notes: p.notes(), Events: p.events, Rows: len(p.rows), Chunk: chunkRows, Object: p.object, Objects: len(p.objects),
		Files: []string{}, Funcs: []funcText{}, Whats: []whatText{}, Boxes: []balloonAt{}, Badges: []int{},
	}
	for x.Roots < len(p.rows) && p.rows[x.Roots].parent < 0 {
		x.Roots++
	}
	for _, f := range plan.Files {
		x.Files = append(x.Files, f.Name)
	}
	for _, f := range plan.Funcs {
		x.Funcs = append(x.Funcs, funcText{f.Name, f.File, f.Line, f.EndLine})
	}
	t := newTexts()
	for _, w := range p.whats {
		says, outcome := p.says(w)
		line := ""
		if w.line > 0 && w.file < len(plan.Files) {
			line = source.Shorten(p.sources.line(w.file, w.line), maxText)
		}
		fn := w.fn
		switch w.kind {
		case kindMark, kindLapse, kindLoop, kindObject:
			fn = plan.Sites[w.site].Func
		}
		x.Whats = append(x.Whats, whatText{w.kind, fn, w.file, w.line, w.column, t.number(says), t.number(outcome), t.number(line)})
	}
	x.Texts = t.list
	for i := range p.opts.Balloons {
		x.Boxes = append(x.Boxes, p.box(i))
	}
	x.Before, x.After = p.stepsOf(p.opts.Before), p.stepsOf(p.opts.After)
	for _, b := range p.badges {
		x.Badges = append(x.Badges, int(b.row), b.count)
	}
	return x
}

// says is what a row says, and how that came out.
func (p *pageData) says(w what) (text, outcome string) {
	plan := p.reader.Plan
	switch w.kind {
	case kindCall:
		switch w.end {
		case panicked:
			outcome = "ended by a panic"
			if w.at > 0 {
				outcome += fmt.Sprintf(" in line %d", w.at)
			}
		case open:
			outcome = "did not end"
		}
		return plan.Funcs[w.fn].Name, outcome
	case kindBranch:
		return w.text, w.outcome
	case kindMark, kindLapse, kindLoop:
		return p.saysSite(w)
	case kindObject:
		return plan.Sites[w.site].Kind.Verb(), ""
	}
	return "", ""
}

func (p *pageData) saysSite(w what) (text, outcome string) {
	plan := p.reader.Plan
	s := plan.Sites[w.site]
	text = p.sources.sites[w.site].text
	if text == "" {
		text = string(s.Kind)
	}
	switch {
	case w.kind == kindLapse:
		return text, "false"
	case w.kind == kindLoop:
		return text, ""
	}
	switch s.Kind {
	case history.Then:
		return text, "true"
	case history.Body, history.Nested:
		return text, "one more time"
	case history.Case:
		return text, "taken"
	case history.Second:
		// Of the two numbers, the second is for true.
		if w.site > 0 && plan.Sites[w.site-1] == s {
			return p.sources.sites[w.site].text, "true"
		}
		return text, "false"
	case history.Last:
		return text, "ends the program"
	}
	return text, ""
}

// box is a balloon as the page has it.
func (p *pageData) box(i int) balloonAt {
	b := p.opts.Balloons[i]
	out := balloonAt{
		Rank: b.Rank, Func: b.Func, File: p.fileOf(b.Operation.File), Line: b.Operation.Line, Column: b.Operation.Column,
		Branch: b.BranchText, Outcome: b.Outcome, BranchAt: [2]int{p.fileOf(b.Branch.File), b.Branch.Line},
		Distance: b.Distance, Writes: b.Writes, Verified: b.Verified, Calls: []int{}, Rows: p.balloons[i], Why: p.stepsOf(b.Why),
	}
	// The text may have the object's name already.
	for _, object := range []string{b.Object, p.opts.Object, ""} {
		before, behind := around(b.Text, object)
		out.Text = []string{before, object, behind}
		if before != b.Text {
			break
		}
	}
	for _, d := range b.decisions() {
		out.Calls = append(out.Calls, d.Call)
	}
	if out.Rows == nil {
		out.Rows = []int32{}
	}
	return out
}

// fileOf is the number of a file by its name; -1 if the page does not have it.
func (p *pageData) fileOf(name string) int {
	if n, ok := p.sources.names[name]; ok {
		return n
	}
	return -1
}

// stepsOf are steps as the page has them.
func (p *pageData) stepsOf(list []Step) []stepAt {
	out := []stepAt{}
	for _, s := range list {
		out = append(out, stepAt{s.Text, p.fileOf(s.File), s.Line, s.Depth})
	}
	return out
}

// notes are what a reader of the page has to know first.
func (p *pageData) notes() []string {
	notes := []string{}
	r := p.reader
	if r.Err != nil {
		notes = append(notes, r.Err.Error()+"; what is shown is all up to there")
	}
	if p.cut {
		notes = append(notes, fmt.Sprintf("only the first %d events are shown", p.events))
	}
	if r.End != nil && r.End.Stopped != "" {
		notes = append(notes, "recording stopped before the program did: "+r.End.Stopped)
	}
	if r.End != nil && r.End.ExitCode != 0 {
		notes = append(notes, fmt.Sprintf("the program returned %d", r.End.ExitCode))
	}
	for _, g := range r.Plan.Gaps {
		notes = append(notes, "not recorded: "+g.String())
	}
	return notes
}

// encodePaths writes the sets of lines: of each, how many there are and the differences
// between them.
func (p *pageData) encodePaths() []byte {
	var out []byte
	for _, s := range p.paths {
		n := 0
		for _, c := range []byte(s) {
			if c < 0x80 {
				n++
			}
		}
		out = append(binary.AppendUvarint(out, uint64(n)), s...)
	}
	return out
}

// fileText is a source of the page.
type fileText struct {
	Text string `json:"text"`
	// Statements are the lines that statements begin in, and Counts how often those were
	// executed.
	Statements []int   `json:"statements"`
	Counts     []int64 `json:"counts"`
}

func (p *pageData) encodeFile(i int) ([]byte, error) {
	f := fileText{Text: p.reader.Plan.Files[i].Text, Statements: []int{}, Counts: []int64{}}
	for _, line := range slices.Sorted(maps.Keys(p.lines.statements[i])) {
		f.Statements = append(f.Statements, line)
		f.Counts = append(f.Counts, p.lines.counts[i][line])
	}
	out, err := json.Marshal(f)
	if err != nil {
		return nil, fmt.Errorf("writing %s into the page: %w", p.reader.Plan.Files[i].Name, err)
	}
	return out, nil
}
