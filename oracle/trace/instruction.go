package trace

import (
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/internal/debuggee"
	"misstep/internal/gobuild"
	"misstep/internal/machine"
)

// steppedTo is where a step of one instruction may end, by the binary: after it, or where it leads. It is not able to
// say so of a return in what is not the program's own, of jumps by way of a register, of calls that are stepped over and
// do not come back as they went, and where another thread or a fault interrupted.
func steppedTo(d *debuggee.Debuggee, before, p *dap.Pause, a dap.Action) (want []string, able bool) {
	if !a.Instruction || a.Kind == dap.StepOut || a.Thread > 0 || before == nil || before.Exception() || p.Exception() ||
		p.Thread != before.Thread || before.Top().Place == "" || p.Top().Place == "" || d == nil || d.Build == nil || d.Build.Symbols == nil {
		return nil, false
	}
	in, ok := instructionAt(d.Build, before.Top().Place)
	if !ok || in.Kind != machine.Plain && p.Reason != "step" {
		return nil, false
	}
	leads := in.Next
	switch {
	case in.Kind == machine.Far:
		return nil, false
	case in.Kind == machine.Return:
		caller, ok := returnPlace(before)
		return []string{caller}, ok && d.Source != nil && d.Source.Own(before.Top().File)
	case in.Kind == machine.Call && a.Kind == dap.StepIn:
		if in.Into == 0 {
			return nil, false
		}
		leads = []uint64{in.Into}
	case in.Kind == machine.Call && (len(p.Stack) != len(before.Stack) || p.Top().Func != before.Top().Func):
		return nil, false // a panic on the way
	}
	for _, addr := range leads {
		want = append(want, d.Build.Symbols.PlaceAt(addr))
	}
	return want, !slices.Contains(want, "")
}

// instructionAt is the instruction of a binary at a place.
func instructionAt(b *gobuild.Build, place string) (machine.Instruction, bool) {
	addr, code, ok := inCode(b, place)
	if !ok {
		return machine.Instruction{}, false
	}
	return code.At(addr)
}

// inCode is the address of a place of a binary, and the instructions among which it is.
func inCode(b *gobuild.Build, place string) (uint64, *machine.Code, bool) {
	addr, err := b.Symbols.AddressOf(place)
	if err != nil {
		return 0, nil, false
	}
	code, err := b.Code()
	return addr, code, err == nil
}

// returnPlace is where the innermost function returns to: where its caller is, below what was inlined.
func returnPlace(p *dap.Pause) (string, bool) {
	for _, f := range p.Stack {
		if f.Place != p.Top().Place {
			return f.Place, f.Place != ""
		}
	}
	return "", false
}

// disassembled holds a list of instructions against the binary: each has the bytes that are there and their line, and begins where the one
// before it ends; the frame's own is in its place among them. Able says that there was something to hold.
func disassembled(b *gobuild.Build, frame dap.Frame, a dap.Action, out *dap.Output) (what, want, got string, able bool) {
	if b == nil || b.Symbols == nil || frame.Place == "" || out.Kind != dap.Answered || len(out.Threads) == 0 {
		return "", "", "", false
	}
	own := strings.ReplaceAll(frame.Place, " ", "") // as the list has it
	var next uint64                                 // the address at which the next one begins; 0 if that is not known
	for i, line := range out.Threads {
		place, _, _ := strings.Cut(line, " ")
		if i == a.Offset && place != "" && place != own {
			return "the instruction at which the frame is", own, place, true
		}
		addr, code, ok := inCode(b, place)
		shown := ""
		if i < len(out.Bytes) {
			shown = out.Bytes[i]
		}
		bytes, err := hex.DecodeString(shown)
		if !ok || err != nil || len(bytes) == 0 {
			next = 0 // there is none, as before the first function
			continue
		}
		at := "the instruction at " + place
		if due := b.Symbols.PlaceAt(next); next != 0 && addr != next && sameFunction(place, due) {
			return at, "at " + due + ", after the one before it", "at " + place, true
		}
		if truth := hex.EncodeToString(code.Bytes(addr, len(bytes))); truth != shown {
			return at + ", its bytes", truth, shown, true
		}
		if i < len(out.Lines) && out.Lines[i] != "" {
			if file, n, ok := lineAt(b, addr); ok {
				if truth := fmt.Sprintf("%s:%d", path.Base(file), n); truth != path.Base(out.Lines[i]) {
					return at + ", its line", truth, path.Base(out.Lines[i]), true
				}
			}
		}
		able = true
		next = addr + uint64(len(bytes))
	}
	return "", "", "", able
}

// sameFunction reports whether two places are in one function.
func sameFunction(a, b string) bool {
	f, _, _ := strings.Cut(a, "+0x")
	g, _, _ := strings.Cut(b, "+0x")
	return f == g
}
