package dap

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/go-dap"
)

// disassembled is how many instructions are asked for.
const disassembled = 8

// doDisassemble shows a line for each instruction: its place and its text.
func (s *Session) doDisassemble(ctx context.Context, a Action) Output {
	_, frame, out := s.frame(ctx, a)
	if out != nil {
		return *out
	}
	if s.target.Symbols == nil || frame.Place == "" {
		return Output{Kind: Refused, Text: "the frame has no known place"}
	}
	addr, err := s.target.Symbols.Address(frame.Place)
	if err != nil {
		return Output{Kind: Refused, Text: err.Error()}
	}
	r, err := s.ask(ctx, "disassemble", dap.DisassembleArguments{MemoryReference: addr, InstructionOffset: -a.Offset, InstructionCount: disassembled})
	if err != nil {
		return *s.fail(err)
	}
	d, ok := r.(*dap.DisassembleResponse)
	if !ok {
		return Output{Kind: Refused, Text: normalText(refusal(r))}
	}
	res := Output{Kind: Answered}
	line := "" // what has none is of that of the one before it
	for _, in := range d.Body.Instructions {
		if in.Line > 0 && in.Location != nil {
			line = fmt.Sprintf("%s:%d", s.rel(in.Location.Path), in.Line)
		} else if in.Line > 0 {
			line = ""
		}
		res.Lines = append(res.Lines, line)
		place := strings.ReplaceAll(s.target.Symbols.Place(in.Address), " ", "") // such as of a method of a type without a name
		res.Threads = append(res.Threads, fmt.Sprintf("%s %s", place, normalText(in.Instruction)))
		res.Bytes = append(res.Bytes, strings.ReplaceAll(in.InstructionBytes, " ", ""))
	}
	return res
}
