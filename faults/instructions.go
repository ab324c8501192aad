package faults

import "strings"

// instructions are faults in steps of one instruction, in what is shown of instructions, and in where frames are that only
// the binary tells. All are there always, in the same way.
var instructions = []Fault{
	{"instruction-lines", "goes on to the next line where a step is to be of one instruction", ByReference, func() handler {
		return func(p *pipe, m message) {
			if m.is("request", "next") || m.is("request", "stepIn") {
				delete(m.body(), "granularity")
			}
			p.pass(m)
		}
	}},
	{"instruction-into", "goes into the next call of the line where a step over one instruction is asked for", ByReference, func() handler {
		into := map[any]bool{} // by number
		return func(p *pipe, m message) {
			switch {
			case m.is("request", "next") && m.body()["granularity"] == "instruction":
				m["command"] = "stepIn"
				delete(m.body(), "granularity")
				into[m["seq"]] = true
			case into[m["request_seq"]]:
				m["command"] = "next"
			}
			p.pass(m)
		}
	}},
	{"instruction-stays", "stays where it is, and says that it has gone one instruction further", ByReference, func() handler {
		return func(p *pipe, m message) {
			if (m.is("request", "next") || m.is("request", "stepIn")) && m.body()["granularity"] == "instruction" {
				p.stay(m, message{"reason": "step", "threadId": m.body()["threadId"], "allThreadsStopped": true})
				return
			}
			p.pass(m)
		}
	}},
	{"disassembly-gaps", "leaves out the second instruction of each disassembly", ByReference, disassembly(func(l []message) []message {
		if len(l) > 2 {
			return append(l[:1:1], l[2:]...)
		}
		return l
	})},
	{"disassembly-unplaced", "shows no address for the last instruction of each disassembly", ByComparison, disassembly(func(l []message) []message {
		l[len(l)-1]["address"] = "out of bounds"
		return l
	})},
	{"disassembly-traps", "shows its own breakpoint in the first byte of each disassembly", ByReference, disassembly(func(l []message) []message {
		if text, _ := l[0]["instructionBytes"].(string); len(text) > 1 {
			l[0]["instructionBytes"] = "cc" + strings.TrimSpace(text[2:])
		}
		return l
	})},
	{"disassembly-lines", "says of each disassembled instruction that it is of the line before its own", ByReference, disassembly(func(l []message) []message {
		for _, in := range l {
			if line, ok := in["line"].(float64); ok && line > 1 {
				in["line"] = line - 1
			}
		}
		return l
	})},
	{"places-lost", "shows each string of a function as one to which the debug information does not lead", ByReference, children(func(_ string, l []message) []message {
		for _, v := range l {
			if v["type"] == "string" {
				v["value"], v["variablesReference"] = "(unreadable DWARF stack underflow)", 0
			}
		}
		return l
	})},
	{"library-lines", "shows each frame outside of the program one line too low", ByReference, libraryFrames(func(f message) {
		if line, ok := f["line"].(float64); ok {
			f["line"] = line + 1
		}
	})},
	{"library-functions", "names each function outside of the program as if it were exported", ByReference, libraryFrames(func(f message) {
		if pkg, name, ok := strings.Cut(f["name"].(string), "."); ok && name != "" {
			f["name"] = pkg + "." + strings.ToUpper(name[:1]) + name[1:]
		}
	})},
	{"library-variables", "shows the variables of the innermost frame for each one outside of the program", ByReference, func() handler {
		var first any
		foreign := map[any]bool{}
		return func(p *pipe, m message) {
			switch {
			case m.is("event", "stopped"):
				clear(foreign)
				first = nil
			case m.is("response", "stackTrace"):
				for i, f := range m.list("stackFrames") {
					if i == 0 && first == nil {
						first = f["id"]
					}
					name, _ := f["name"].(string)
					foreign[f["id"]] = !strings.HasPrefix(name, "main.")
				}
			case m.is("request", "scopes") && foreign[m.body()["frameId"]] && first != nil:
				m.body()["frameId"] = first
			}
			p.pass(m)
		}
	}},
	{"scopes-refused", "refuses to show the variables of each fifth frame", ByReference, every(5, "response", "scopes", func(_ *pipe, m message) bool {
		m["success"], m["message"] = false, "Unable to list args"
		delete(m, "body")
		return false
	})},
	{"paused-for-nobody", "says of each third step that it was asked to pause", ByReference, func() handler {
		n := 0
		return func(p *pipe, m message) {
			if m.is("event", "stopped") && m.body()["reason"] == "step" {
				if n++; n%3 == 0 {
					m.body()["reason"] = "pause"
				}
			}
			p.pass(m)
		}
	}},
}

// libraryFrames changes the frames whose functions are not the program's.
func libraryFrames(change func(frame message)) func() handler {
	return func() handler {
		return func(p *pipe, m message) {
			if l := m.list("stackFrames"); m.is("response", "stackTrace") {
				for _, f := range l {
					if name, _ := f["name"].(string); name != "" && !strings.HasPrefix(name, "main.") {
						change(f)
					}
				}
				m.setList("stackFrames", l)
			}
			p.pass(m)
		}
	}
}

// disassembly changes what is disassembled.
func disassembly(change func([]message) []message) func() handler {
	return func() handler {
		return func(p *pipe, m message) {
			if l := m.list("instructions"); m.is("response", "disassemble") && len(l) > 0 {
				m.setList("instructions", change(l))
			}
			p.pass(m)
		}
	}
}
