package profiler

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A Profile is what go tool cover reads, line by line, as it is written: nothing is merged or put in order.
type Profile struct {
	Mode   string
	Blocks []Block
}

// A Block is one line of a profile: lines and columns are from 1, the columns in bytes, the end after the last one.
type Block struct {
	File                             string // by its import path, or as the toolchain names it
	Line, Column, EndLine, EndColumn int
	Statements                       int
	Count                            uint64
}

// String is the block as a profile has it.
func (b Block) String() string {
	return fmt.Sprintf("%s:%d.%d,%d.%d %d %d", b.File, b.Line, b.Column, b.EndLine, b.EndColumn, b.Statements, b.Count)
}

// At is where the block lies in its file.
func (b Block) At() string {
	return fmt.Sprintf("%d.%d,%d.%d", b.Line, b.Column, b.EndLine, b.EndColumn)
}

// Contains reports whether the block has a position.
func (b Block) Contains(line, column int) bool {
	after := line > b.Line || line == b.Line && column >= b.Column
	before := line < b.EndLine || line == b.EndLine && column < b.EndColumn
	return after && before
}

// blockLine is a line of a profile. The name of a file may have blanks and colons.
var blockLine = regexp.MustCompile(`^(.+):(\d+)\.(\d+),(\d+)\.(\d+) (\d+) (\d+)$`)

// ParseProfile reads a profile. The error names the line, and what was expected.
func ParseProfile(text string) (*Profile, error) {
	p := &Profile{}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSuffix(line, "\n")
		if number == 1 {
			mode, ok := strings.CutPrefix(line, "mode: ")
			if !ok {
				return nil, fmt.Errorf("line 1: expected mode: set, count or atomic, not %q", line)
			}
			p.Mode = mode
			continue
		}
		m := blockLine.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("line %d: expected FILE:LINE.COLUMN,LINE.COLUMN STATEMENTS COUNT, not %q", number, line)
		}
		var n [6]int
		for i := range 5 {
			v, err := strconv.Atoi(m[i+2])
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", number, err)
			}
			n[i] = v
		}
		count, err := strconv.ParseUint(m[7], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		p.Blocks = append(p.Blocks, Block{m[1], n[0], n[1], n[2], n[3], n[4], count})
	}
	if number == 0 {
		return nil, fmt.Errorf("it is empty; expected mode: in its first line")
	}
	return p, nil
}

// Merged are the blocks, each once: profiles of several test binaries have some several times, with counts to be added.
func (p *Profile) Merged() []Block {
	at := map[string]int{}
	var all []Block
	for _, b := range p.Blocks {
		key := b.File + ":" + b.At()
		if i, ok := at[key]; ok {
			all[i].Count += b.Count
			continue
		}
		at[key] = len(all)
		all = append(all, b)
	}
	return all
}

// Sum is how many statements blocks have, and how many of them were executed.
func Sum(blocks []Block) (covered, all int) {
	for _, b := range blocks {
		all += b.Statements
		if b.Count > 0 {
			covered += b.Statements
		}
	}
	return covered, all
}
