package dap

import (
	"context"
	"encoding/base64"
	"fmt"
	"go/parser"

	"github.com/google/go-dap"
)

// MemoryBytes is how much of a variable's memory is read.
const MemoryBytes = 64

// doMemory reads the beginning of what a variable has in memory, by the reference that it is shown with.
// The value is the bytes, in hexadecimal.
func (s *Session) doMemory(ctx context.Context, a Action) Output {
	frame, out := s.frame(a.Frame)
	if out != nil {
		return *out
	}
	x, err := parser.ParseExpr(a.Name)
	if err != nil {
		return Output{Kind: Refused, Text: "misstep: " + a.Name + " is no variable"}
	}
	scopes, err := s.scopeList(ctx, frame.id)
	if err != nil {
		return *s.answerError(err)
	}
	_, _, v, err := s.follow(ctx, scopes, x)
	if err != nil {
		return *s.answerError(err)
	}
	if v.memory == "" {
		return Output{Kind: Refused, Text: "misstep: the adapter has no reference for the memory of " + a.Name}
	}
	r, err := s.ask(ctx, "readMemory", dap.ReadMemoryArguments{MemoryReference: v.memory, Count: MemoryBytes})
	if err != nil {
		return *s.fail(err)
	}
	m, ok := r.(*dap.ReadMemoryResponse)
	if !ok {
		return Output{Kind: Refused, Text: normalText(refusal(r))}
	}
	data, err := base64.StdEncoding.DecodeString(m.Body.Data)
	if err != nil {
		return Output{Kind: Refused, Text: fmt.Sprintf("the data is not in base64: %v", err)}
	}
	if len(data)+m.Body.UnreadableBytes != MemoryBytes {
		return Output{Kind: Refused, Text: fmt.Sprintf("%d bytes read and %d unreadable of %d", len(data), m.Body.UnreadableBytes, MemoryBytes)}
	}
	return Output{Kind: Answered, Value: &Variable{Type: "memory", Value: fmt.Sprintf("% x", data)}}
}
