package dap

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"go/parser"
	"strings"

	"github.com/google/go-dap"
)

// MemoryBytes is how much of a variable's memory is read.
const MemoryBytes = 64

// doMemory reads the beginning of what a variable has in memory, by the reference that it is shown with.
// The value is the bytes, in hexadecimal.
func (s *Session) doMemory(ctx context.Context, a Action) Output {
	reference, out := s.reference(ctx, a)
	if out != nil {
		return *out
	}
	r, err := s.ask(ctx, "readMemory", dap.ReadMemoryArguments{MemoryReference: reference, Count: MemoryBytes})
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

// reference is what the adapter has for the memory of an action's variable.
func (s *Session) reference(ctx context.Context, a Action) (string, *Output) {
	_, frame, out := s.frame(ctx, a)
	if out != nil {
		return "", out
	}
	x, err := parser.ParseExpr(a.Name)
	if err != nil {
		return "", &Output{Kind: Refused, Text: "misstep: " + a.Name + " is no variable"}
	}
	scopes, err := s.scopeList(ctx, frame.id)
	if err != nil {
		return "", s.answerError(err)
	}
	_, _, v, err := s.follow(ctx, scopes, x)
	if err != nil {
		return "", s.answerError(err)
	}
	if v.memory == "" {
		return "", &Output{Kind: Refused, Text: "misstep: the adapter has no reference for the memory of " + a.Name}
	}
	return v.memory, nil
}

// doWriteMemory writes bytes into what a variable has in memory, from an offset on.
func (s *Session) doWriteMemory(ctx context.Context, a Action) Output {
	data, err := hex.DecodeString(strings.ReplaceAll(a.Value, " ", ""))
	if err != nil {
		return Output{Kind: Refused, Text: "misstep: " + a.Value + " are no bytes in hexadecimal"}
	}
	reference, out := s.reference(ctx, a)
	if out != nil {
		return *out
	}
	r, err := s.ask(ctx, "writeMemory", dap.WriteMemoryArguments{MemoryReference: reference, Offset: a.Offset, Data: base64.StdEncoding.EncodeToString(data)})
	if err != nil {
		return *s.fail(err)
	}
	w, ok := r.(*dap.WriteMemoryResponse)
	if !ok {
		return Output{Kind: Refused, Text: normalText(refusal(r))}
	}
	if n := w.Body.BytesWritten; n != 0 && n != len(data) {
		return Output{Kind: Refused, Text: fmt.Sprintf("%d bytes were written of %d", n, len(data))}
	}
	return Output{Kind: Done}
}
