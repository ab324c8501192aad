package protocol

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	godap "github.com/google/go-dap"
)

// windows are what a pause has shown of things that are asked for in parts: frames of stacks, bytes of memory and instructions at
// addresses, children of variables by name. What two parts have in common is the same in both.
type windows struct {
	frames       map[[2]int]string // by thread and number
	bytes        map[uint64]byte
	begins       map[string]string // where what a reference names begins
	instructions map[uint64]string
	children     map[string]string // by reference, filter and name
}

func newWindows() *windows {
	return &windows{map[[2]int]string{}, map[uint64]byte{}, map[string]string{}, map[uint64]string{}, map[string]string{}}
}

// alters reports whether a request may change what the program has, or where it is, so that what is shown then may be something else.
// A command at the prompt may change how it is shown.
func alters(command string, args json.RawMessage) bool {
	switch command {
	case "evaluate":
		text := expression(args)
		return strings.Contains(text, "(") || strings.HasPrefix(text, "dlv ")
	case "setVariable", "setExpression", "writeMemory", "restart", "pause", "launch", "attach", "disconnect", "terminate", "configurationDone":
		return true
	}
	return resuming[command] || backward[command]
}

// window holds what an answer shows against what others of the pause have shown.
func (c *checker) window(args json.RawMessage, m godap.ResponseMessage) {
	if !c.paused || c.during[m.GetResponse().RequestSeq] {
		return
	}
	switch m := m.(type) {
	case *godap.StackTraceResponse:
		var a godap.StackTraceArguments
		if json.Unmarshal(args, &a) != nil || a.ThreadId <= 0 || a.StartFrame < 0 {
			return
		}
		for i, f := range m.Body.StackFrames {
			path := ""
			if f.Source != nil {
				path = f.Source.Path
			}
			n := a.StartFrame + i
			same(c, c.windows.frames, [2]int{a.ThreadId, n}, fmt.Sprintf("%s at %s:%d:%d, instruction %s", f.Name, path, f.Line, f.Column, f.InstructionPointerReference),
				fmt.Sprintf("frame %d of thread %d", n, a.ThreadId))
		}
	case *godap.VariablesResponse:
		var a godap.VariablesArguments
		if json.Unmarshal(args, &a) != nil {
			return
		}
		if _, scope := c.scopes[a.VariablesReference]; scope {
			return
		}
		names := map[string]int{}
		for _, v := range m.Body.Variables {
			names[v.Name]++
		}
		for _, v := range m.Body.Variables {
			if names[v.Name] > 1 || strings.Contains(v.Name, "...") {
				continue // a name that is cut off may be that of several
			}
			same(c, c.windows.children, fmt.Sprintf("%d %s", a.VariablesReference, v.Name), fmt.Sprintf("%s of type %s, evaluated as %s", v.Value, v.Type, v.EvaluateName),
				"the child "+v.Name+" of one variable")
		}
	case *godap.ReadMemoryResponse:
		at, err := strconv.ParseUint(m.Body.Address, 0, 64)
		data, err2 := base64.StdEncoding.DecodeString(m.Body.Data)
		if err != nil || err2 != nil {
			return
		}
		var a godap.ReadMemoryArguments
		if json.Unmarshal(args, &a) == nil && len(data) > 0 && a.Offset >= 0 { // what lies before it an adapter need not read
			same(c, c.windows.begins, a.MemoryReference, fmt.Sprintf("%#x", at-uint64(a.Offset)), "the beginning of what the reference "+a.MemoryReference+" names")
		}
		for i, b := range data {
			was, ok := c.windows.bytes[at+uint64(i)]
			c.windows.bytes[at+uint64(i)] = b
			if ok && was != b {
				c.check("windows", false, "the byte at %#x was %#x, and is %#x when it is read once more", at+uint64(i), was, b)
				return
			}
			if ok {
				c.tally.Add(Oracle+"/windows", 1)
			}
		}
	case *godap.DisassembleResponse:
		for _, in := range m.Body.Instructions {
			at, err := strconv.ParseUint(in.Address, 0, 64)
			if err != nil || in.InstructionBytes == "" || at == 0 {
				continue
			}
			same(c, c.windows.instructions, at, fmt.Sprintf("%s (%s)", in.Instruction, in.InstructionBytes), "the instruction at "+in.Address)
		}
	}
}

// same judges that what is shown at a place of a window is what another one has shown there.
func same[K comparable](c *checker, shown map[K]string, at K, now, what string) {
	was, ok := shown[at]
	shown[at] = now
	if ok {
		c.check("windows", was == now, "%s was %s, and is %s when it is asked for once more", what, was, now)
	}
}
