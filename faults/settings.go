package faults

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// launched loses arguments of the launch request.
func launched(names ...string) func() handler {
	return every(1, "request", "launch", func(_ *pipe, m message) bool {
		if args, _ := m["arguments"].(map[string]any); args != nil {
			for _, name := range names {
				delete(args, name)
			}
		}
		return false
	})
}

// settings are faults that show where a session is started in another way than by default, or where an
// expression is evaluated for another purpose than watching it.
var settings = []Fault{
	{"labels-lost", "shows no labels of goroutines, whatever is asked for", ByComparison, func() handler {
		return func(p *pipe, m message) {
			if l := m.list("threads"); m.is("response", "threads") {
				for _, t := range l {
					t["name"] = goLabels.ReplaceAllString(fmt.Sprint(t["name"]), "$1]")
				}
				m.setList("threads", l)
			}
			p.pass(m)
		}
	}},
	{"goroutines-unhidden", "lists the runtime's goroutines where it is asked to hide them", ByComparison, launched("hideSystemGoroutines", "goroutineFilters")},
	{"depth-ignored", "shows stacks to a depth of its own where a client does not say how much it wants", ByComparison, launched("stackTraceDepth")},
	{"registers-missing", "does not show registers where it is asked to", ByComparison, scopesNamed("Registers", false)},
	{"globals-stale", "shows the first number among the variables of a package one too high", ByComparison, globalsStale},
	{"globals-twice", "shows the variables of a package twice", ByComparison, scopesNamed("Globals (", true)},
	{"rests-short", "says that the rest of a long string is one shorter than it is", ByComparison, children(func(_ string, l []message) []message {
		for _, v := range l {
			text, _ := v["value"].(string)
			if at := rest.FindStringSubmatchIndex(text); at != nil && at[1] == len(text) {
				n, _ := strconv.Atoi(text[at[2]:at[3]])
				v["value"] = text[:at[2]] + strconv.Itoa(n-1) + text[at[3]:]
			}
		}
		return l
	})},
	{"entry-passed", "does not pause before the program begins where it is asked to", ByComparison, every(1, "event", "stopped", func(p *pipe, m message) bool {
		if m.body()["reason"] != "entry" {
			return false
		}
		p.request("continue", message{"threadId": m.body()["threadId"]})
		return true
	})},
	{"types-unasked", "tells the types of variables to clients that show none", ByComparison, func() handler {
		return func(p *pipe, m message) {
			if args, _ := m["arguments"].(map[string]any); m.is("request", "initialize") && args["supportsVariableType"] == false {
				args["supportsVariableType"] = true
			}
			p.pass(m)
		}
	}},
	{"left-killed", "ends a program that was attached to, where the session is left", ByComparison, func() handler {
		return func(p *pipe, m message) {
			if args, _ := m["arguments"].(map[string]any); m.is("request", "disconnect") && args["terminateDebuggee"] == false {
				args["terminateDebuggee"] = true
			}
			p.pass(m)
		}
	}},
	{"settings-stay", "takes commands that change a setting for questions about it", ByComparison, func() handler {
		return func(p *pipe, m message) {
			if args, _ := m["arguments"].(map[string]any); m.is("request", "evaluate") {
				text, _ := args["expression"].(string)
				if words := strings.Fields(text); len(words) > 3 && words[0] == "dlv" && words[1] == "config" && words[2] != "-list" {
					args["expression"] = "dlv config -list " + words[2]
				}
			}
			p.pass(m)
		}
	}},
	{"arguments-kept", "restarts the program with the arguments that it was launched with, whatever the request says", ByComparison, restarted(func(args map[string]any) {
		delete(args, "args")
	})},
	{"text-kept", "does not build the program anew for a restart", ByComparison, restarted(func(args map[string]any) {
		args["rebuild"] = false
	})},
	{"writes-beside", "writes to memory one byte further on", ByComparison, func() handler {
		return func(p *pipe, m message) {
			if args, _ := m["arguments"].(map[string]any); m.is("request", "writeMemory") {
				offset, _ := args["offset"].(float64)
				args["offset"] = offset + 1
			}
			p.pass(m)
		}
	}},
	{"attached-bare", "loses the breakpoints that are set before a program runs on that was attached to", ByComparison, func() handler {
		waits := false
		return func(p *pipe, m message) {
			p.pass(m)
			switch {
			case m.is("request", "attach"):
				waits = true
			case m.is("request", "configurationDone"):
				waits = false
			case m.is("request", "setBreakpoints") && waits:
				args, _ := m["arguments"].(map[string]any)
				p.request("setBreakpoints", message{"source": args["source"], "breakpoints": []any{}})
			}
		}
	}},
	{"clients-bare", "loses the breakpoints that another client sets of a program that waits where it is paused", ByComparison, func() handler {
		waits := false
		return func(p *pipe, m message) {
			p.pass(m)
			switch args, _ := m["arguments"].(map[string]any); {
			case m.is("request", "attach"):
				waits = args["stopOnEntry"] == true
			case m.is("request", "configurationDone"):
				waits = false
			case m.is("request", "setBreakpoints") && waits:
				p.request("setBreakpoints", message{"source": args["source"], "breakpoints": []any{}})
			}
		}
	}},
	{"bare-name-lost", "looks for a program elsewhere that is named without a folder", ByComparison, every(1, "request", "launch", func(_ *pipe, m message) bool {
		if args, _ := m["arguments"].(map[string]any); args != nil {
			if name, _ := args["program"].(string); name != "" && !strings.Contains(name, "/") {
				args["program"] = "/misstep/nowhere/" + name
			}
		}
		return false
	})},
	{"files-unwritten", "lets the program print where it prints itself, where it is told files for that", ByComparison, every(1, "request", "launch", func(_ *pipe, m message) bool {
		args, _ := m["arguments"].(map[string]any)
		delete(args, "stdoutTo")
		delete(args, "stderrTo")
		return false
	})},
	{"cores-wrong", "shows numbers one too high in a core, and what is false as true", ByComparison, func() handler {
		core := false
		return func(p *pipe, m message) {
			switch args, _ := m["arguments"].(map[string]any); {
			case m.is("request", "launch"):
				core = args["mode"] == "core"
			case m.is("response", "variables") && core:
				l := m.list("variables")
				for _, v := range l {
					text, _ := v["value"].(string)
					v["value"] = higher(text)
				}
				m.setList("variables", l)
			}
			p.pass(m)
		}
	}},
	{"sources-unmapped", "shows the folder that the source has in the program, not the one that it was told", ByComparison, every(1, "response", "stackTrace", func(p *pipe, m message) bool {
		l := m.list("stackFrames")
		for _, f := range l {
			if source, ok := f["source"].(map[string]any); ok {
				if path, _ := source["path"].(string); strings.HasPrefix(path, "/misstep/") {
					source["path"] = "/elsewhere/" + path
				}
			}
		}
		m.setList("stackFrames", l)
		return false
	})},
	{"hovers-wrong", "shows numbers under the cursor one too high, and what is false as true", ByComparison, func() handler {
		asked := map[any]bool{}
		return func(p *pipe, m message) {
			switch {
			case m.is("request", "evaluate"):
				args, _ := m["arguments"].(map[string]any)
				asked[m["seq"]] = args["context"] == "hover"
			case m.is("response", "evaluate") && asked[m["request_seq"]]:
				text, _ := m.body()["result"].(string)
				m.body()["result"] = higher(text)
			}
			p.pass(m)
		}
	}},
	{"escapes-kept", "escapes strings where it is asked not to", ByComparison, children(func(_ string, l []message) []message {
		for _, v := range l {
			if text, _ := v["value"].(string); v["type"] == "string" && strings.ContainsAny(text, `"\`) && !strings.HasPrefix(text, `"`) {
				v["value"] = strconv.Quote(text)
			}
		}
		return l
	})},
}

// rest is how the text of a string ends that is not shown whole.
var rest = regexp.MustCompile(`\.\.\.\+(\d+) more"`)

// scopesNamed changes the lists of scopes that have one whose name begins so: it is left out, or is there
// twice.
func scopesNamed(prefix string, twice bool) func() handler {
	return every(1, "response", "scopes", func(p *pipe, m message) bool {
		var out []message
		for _, s := range m.list("scopes") {
			name, _ := s["name"].(string)
			switch {
			case !strings.HasPrefix(name, prefix):
				out = append(out, s)
			case twice:
				out = append(out, s, s)
			}
		}
		m.setList("scopes", out)
		return false
	})
}

// globalsStale changes the first number in the scope of a package.
func globalsStale() handler {
	var globals any
	asked := map[any]bool{}
	return func(p *pipe, m message) {
		switch {
		case m.is("response", "scopes"):
			for _, s := range m.list("scopes") {
				if name, _ := s["name"].(string); strings.HasPrefix(name, "Globals (") {
					globals = s["variablesReference"]
				}
			}
		case m.is("request", "variables"):
			args, _ := m["arguments"].(map[string]any)
			asked[m["seq"]] = globals != nil && args["variablesReference"] == globals
		case m.is("response", "variables") && asked[m["request_seq"]]:
			l := m.list("variables")
			for _, v := range l {
				if n, err := strconv.Atoi(v["value"].(string)); err == nil {
					v["value"] = strconv.Itoa(n + 1)
					break
				}
			}
			m.setList("variables", l)
		}
		p.pass(m)
	}
}

// restarted changes the launch arguments in restart requests.
func restarted(change func(args map[string]any)) func() handler {
	return func() handler {
		return func(p *pipe, m message) {
			if args, _ := m["arguments"].(map[string]any); m.is("request", "restart") {
				if inner, ok := args["arguments"].(map[string]any); ok {
					change(inner)
				}
			}
			p.pass(m)
		}
	}
}

// goLabels is a goroutine's number in a list of threads, and its labels.
var goLabels = regexp.MustCompile(`(\[Go \d+) [^\]]*\]`)

// higher is the text of a number one higher, true for false, and any other text as it is.
func higher(text string) string {
	if n, err := strconv.Atoi(text); err == nil {
		return strconv.Itoa(n + 1)
	}
	if text == "false" {
		return "true"
	}
	return text
}
