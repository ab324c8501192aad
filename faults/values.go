package faults

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// values are faults in what is shown of variables. All are there always, in the same way.
var values = []Fault{
	{"map-values", "shows each integer in a map as one more", ByReference, children(func(parent string, l []message) []message {
		if strings.HasPrefix(parent, "map[") {
			for _, v := range l {
				if typ, _ := v["type"].(string); strings.HasSuffix(typ, ": int") {
					v["value"] = more(v["value"])
				}
			}
		}
		return l
	})},
	{"map-entries", "never shows a map's last entry", ByReference, children(func(parent string, l []message) []message {
		if strings.HasPrefix(parent, "map[") && len(l) > 0 {
			return l[:len(l)-1]
		}
		return l
	})},
	{"map-keys", "shows each text that is a map's key in capitals", ByReference, children(func(parent string, l []message) []message {
		if strings.HasPrefix(parent, "map[string]") {
			for _, v := range l {
				v["name"] = strings.ToUpper(fmt.Sprint(v["name"]))
			}
		}
		return l
	})},
	{"last-field", "never shows the last field of a struct with several", ByReference, children(func(parent string, l []message) []message {
		if strings.HasPrefix(parent, "main.") && len(l) > 1 && !strings.HasPrefix(fmt.Sprint(l[0]["name"]), "[") {
			return l[:len(l)-1]
		}
		return l
	})},
	{"field-added", "shows one field more than a struct has", ByReference, children(func(parent string, l []message) []message {
		if strings.HasPrefix(parent, "main.") && len(l) > 1 && !strings.HasPrefix(fmt.Sprint(l[0]["name"]), "[") {
			return append(l, message{"name": "padding", "type": "int", "value": "0", "variablesReference": 0})
		}
		return l
	})},
	{"interface-values", "shows what an interface holds, if it is an integer, as one more", ByReference, children(func(_ string, l []message) []message {
		for _, v := range l {
			if v["name"] == "data" && v["type"] == "int" {
				v["value"] = more(v["value"])
			}
		}
		return l
	})},
	{"interface-types", "says of each integer in an interface that it is a string", ByReference, children(func(_ string, l []message) []message {
		for _, v := range l {
			if typ, _ := v["type"].(string); strings.HasSuffix(typ, "(int)") {
				v["type"] = strings.TrimSuffix(typ, "(int)") + "(string)"
			}
		}
		return l
	})},
	{"complex-parts", "shows complex numbers with their parts swapped", ByReference, children(func(_ string, l []message) []message {
		for _, v := range l {
			if m := complexText.FindStringSubmatch(fmt.Sprint(v["value"])); m != nil {
				v["value"] = fmt.Sprintf("(%s + %si)", m[2], m[1])
			}
		}
		return l
	})},
	{"function-values", "names another function for each variable that holds one", ByReference, children(func(_ string, l []message) []message {
		for _, v := range l {
			if typ, _ := v["type"].(string); strings.HasPrefix(typ, "func(") && !strings.HasSuffix(fmt.Sprint(v["value"]), "nil") {
				v["value"] = "main.another"
			}
		}
		return l
	})},
	{"ghost", "shows a variable that does not exist in each scope", ByReference, children(func(parent string, l []message) []message {
		if parent == scope && len(l) > 0 {
			return append(l, message{"name": "ghost", "type": "int", "value": "1", "variablesReference": 0})
		}
		return l
	})},
	{"string-ends", "cuts the last byte off each string", ByReference, children(func(_ string, l []message) []message {
		for _, v := range l {
			if s, err := strconv.Unquote(fmt.Sprint(v["value"])); err == nil && v["type"] == "string" && len(s) > 1 {
				v["value"] = strconv.Quote(s[:len(s)-1])
			}
		}
		return l
	})},
	{"string-rests", "says one byte too many of what is left of a long string", ByReference, children(func(_ string, l []message) []message {
		for _, v := range l {
			v["value"] = restText.ReplaceAllStringFunc(fmt.Sprint(v["value"]), func(s string) string {
				n, _ := strconv.Atoi(restText.FindStringSubmatch(s)[1])
				return fmt.Sprintf("...+%d more", n+1)
			})
		}
		return l
	})},
	{"slice-lengths", "shows each slice as one longer", ByReference, children(func(_ string, l []message) []message {
		for _, v := range l {
			v["value"] = lengthText.ReplaceAllStringFunc(fmt.Sprint(v["value"]), func(s string) string {
				n, _ := strconv.Atoi(strings.TrimPrefix(s, "len: "))
				return fmt.Sprintf("len: %d", n+1)
			})
		}
		return l
	})},
	{"last-element", "never shows the last element of a slice or array", ByReference, children(func(_ string, l []message) []message {
		if len(l) > 1 && strings.HasPrefix(fmt.Sprint(l[len(l)-1]["name"]), "[") {
			return l[:len(l)-1]
		}
		return l
	})},
	{"elements-swapped", "shows the first two elements of slices and arrays in the place of each other", ByReference, children(func(_ string, l []message) []message {
		if len(l) > 1 && l[0]["name"] == "[0]" && l[1]["name"] == "[1]" {
			l[0]["value"], l[1]["value"] = l[1]["value"], l[0]["value"]
		}
		return l
	})},
	{"floats-rounded", "rounds floating-point numbers", ByReference, children(func(_ string, l []message) []message {
		for _, v := range l {
			if f, err := strconv.ParseFloat(fmt.Sprint(v["value"]), 64); err == nil && v["type"] == "float64" {
				v["value"] = strconv.FormatFloat(f, 'f', 0, 64)
			}
		}
		return l
	})},
	{"bytes-signed", "shows bytes as if they had a sign", ByReference, children(func(_ string, l []message) []message {
		for _, v := range l {
			n, _, _ := strings.Cut(fmt.Sprint(v["value"]), " ")
			if b, err := strconv.Atoi(n); err == nil && v["type"] == "uint8" && b > 127 {
				v["value"] = strconv.Itoa(b - 256)
			}
		}
		return l
	})},
	{"hex-zero", "shows numbers in hexadecimal as zero, beside what they are", ByReference, children(func(_ string, l []message) []message {
		for _, v := range l {
			if n, _, ok := strings.Cut(fmt.Sprint(v["value"]), " = 0x"); ok && n != "" {
				v["value"] = n + " = 0x0"
			}
		}
		return l
	})},
	{"texts-off", "shows the first number in a struct's text one too high, and its fields as they are", ByReference, children(func(_ string, l []message) []message {
		for _, v := range l {
			text, _ := v["value"].(string)
			if at := firstField.FindStringSubmatchIndex(text); at != nil {
				n, _ := strconv.Atoi(text[at[2]:at[3]])
				v["value"] = text[:at[2]] + strconv.Itoa(n+1) + text[at[3]:]
			}
		}
		return l
	})},
	{"names-whole", "names types within a text with the folders of their packages, and by themselves without", ByReference, children(func(_ string, l []message) []message {
		for _, v := range l {
			text, _ := v["value"].(string)
			if i := strings.IndexAny(text, "{["); i >= 0 {
				v["value"] = text[:i] + innerType.ReplaceAllString(text[i:], "${1}example.test/all/$2 {")
			}
		}
		return l
	})},
	{"values-nowhere", "shows as 0 what has no place at an instruction", ByReference, children(func(_ string, l []message) []message {
		for _, v := range l {
			if text, _ := v["value"].(string); strings.HasPrefix(text, "(unreadable could not find loclist entry") || strings.HasPrefix(text, "(unreadable empty OP stack") {
				v["value"] = "0"
			}
		}
		return l
	})},
	{"pointers-nil", "shows pointers to structs as nil", ByReference, children(func(_ string, l []message) []message {
		for _, v := range l {
			if typ, _ := v["type"].(string); strings.HasPrefix(typ, "*main.") {
				v["value"], v["variablesReference"] = typ+" nil", 0
			}
		}
		return l
	})},
	{"pointees", "shows integers that are pointed to as one more", ByReference, children(func(parent string, l []message) []message {
		if parent == "*int" {
			for _, v := range l {
				v["value"] = more(v["value"])
			}
		}
		return l
	})},
	{"types-widened", "says that each int is an int64", ByReference, children(func(_ string, l []message) []message {
		for _, v := range l {
			if v["type"] == "int" {
				v["type"] = "int64"
			}
		}
		return l
	})},
	{"types-plain", "shows variables of declared types with the types that these are made of", ByReference, children(func(_ string, l []message) []message {
		for _, v := range l {
			if typ, _ := v["type"].(string); strings.HasPrefix(typ, "main.") && v["variablesReference"] == 0.0 {
				v["type"] = "int"
			}
		}
		return l
	})},
	{"channels-empty", "shows each channel as empty and without a buffer", ByReference, children(func(_ string, l []message) []message {
		for _, v := range l {
			if typ, _ := v["type"].(string); strings.HasPrefix(typ, "chan ") {
				v["value"] = typ + " 0/0"
			}
		}
		return l
	})},
	{"buffers-shifted", "shows the numbers in a channel's buffer, but the first, one too large", ByReference, buffersShifted},
	{"nil-slices", "shows nil slices as empty ones", ByReference, children(func(_ string, l []message) []message {
		for _, v := range l {
			if typ, _ := v["type"].(string); strings.HasPrefix(typ, "[]") && strings.HasSuffix(fmt.Sprint(v["value"]), ", nil") {
				v["value"] = strings.TrimSuffix(fmt.Sprint(v["value"]), "nil") + "[]"
			}
		}
		return l
	})},
	{"caller-values", "shows the integers of all callers as one more", ByReference, callerValues},
	{"caller-scopes", "shows the variables of the innermost function in the place of each caller's", ByReference, ofInnermost("scopes")},
	{"parameters-zero", "shows integers as zero where a function is entered", ByReference, func() handler {
		entered := false
		change := children(func(parent string, l []message) []message {
			for _, v := range l {
				if v["type"] == "int" && parent == scope && entered {
					v["value"] = "0"
				}
			}
			return l
		})()
		return func(p *pipe, m message) {
			if m.is("event", "stopped") {
				entered = m.body()["reason"] == "function breakpoint"
			}
			change(p, m)
		}
	}},
	{"results-set", "shows results without a name as if the function had returned", ByReference, children(func(_ string, l []message) []message {
		for _, v := range l {
			if name, _ := v["name"].(string); strings.HasPrefix(name, "~r") && v["type"] == "int" {
				v["value"] = "7"
			}
		}
		return l
	})},
}

var (
	complexText = regexp.MustCompile(`^\((\S+) \+ (\S+)i\)$`)
	restText    = regexp.MustCompile(`\.\.\.\+(\d+) more`)
	lengthText  = regexp.MustCompile(`len: \d+`)
)

// more is a number and one; what is no number stays as it is.
func more(value any) any {
	if n, err := strconv.Atoi(fmt.Sprint(value)); err == nil {
		return strconv.Itoa(n + 1)
	}
	return value
}

// scope is what children are told is the type of a scope.
const scope = "scope"

// children changes each list of variables that is shown, by the type of what they are parts
// of.
func children(change func(parent string, l []message) []message) func() handler {
	return func() handler {
		types := map[any]string{} // by reference
		asked := map[any]string{} // by request
		return func(p *pipe, m message) {
			switch {
			case m.is("event", "stopped"):
				clear(types)
			case m.is("response", "scopes"):
				for _, s := range m.list("scopes") {
					types[s["variablesReference"]] = scope
				}
			case m.is("response", "evaluate"):
				if typ, ok := m.body()["type"].(string); ok {
					types[m.body()["variablesReference"]] = typ
				}
			case m.is("request", "variables"):
				asked[m["seq"]] = types[m.body()["variablesReference"]]
			case m.is("response", "variables"):
				l := m.list("variables")
				for _, v := range l {
					if typ, ok := v["type"].(string); ok {
						types[v["variablesReference"]] = typ
					}
				}
				m.setList("variables", change(asked[m["request_seq"]], l))
				delete(asked, m["request_seq"])
			}
			p.pass(m)
		}
	}
}

// callerValues adds one to the integers of callers.
func callerValues() handler {
	scopes := newScopes()
	return func(p *pipe, m message) {
		scopes.follow(m)
		if x, of := scopes.shown(m); of && x.depth > 0 {
			l := m.list("variables")
			for _, v := range l {
				if v["type"] == "int" {
					v["value"] = more(v["value"])
				}
			}
			m.setList("variables", l)
		}
		p.pass(m)
	}
}

// ofInnermost asks for the innermost frame, whatever frame a request is about.
func ofInnermost(command string) func() handler {
	return func() handler {
		top := any(nil)
		return func(p *pipe, m message) {
			switch {
			case m.is("event", "stopped"):
				top = nil
			case m.is("response", "stackTrace"):
				if l := m.list("stackFrames"); len(l) > 0 && top == nil {
					top = l[0]["id"]
				}
			case m.is("request", command) && top != nil:
				m.body()["frameId"] = top
			}
			p.pass(m)
		}
	}
}

// innerType is a type in a text that something stands before.
var innerType = regexp.MustCompile(`([ \[,])(\w+\.\w+) \{`)

// firstField is a struct's text whose first field is a number.
var firstField = regexp.MustCompile(`^main\.\w+ \{\w+: (\d{1,9})[,}]`)

// buffersShifted follows a channel over its buffer, which is a pointer to an array, to the elements.
func buffersShifted() handler {
	const none, held, array = 0, 1, 2
	is := map[any]int{}         // what a reference is of
	asked := map[any]int{}      // by request
	channels := map[any]bool{}  // references of channels
	ofChannel := map[any]bool{} // requests about these
	return func(p *pipe, m message) {
		switch {
		case m.is("event", "stopped"):
			clear(is)
			clear(channels)
		case m.is("request", "variables"):
			ref := m.body()["variablesReference"]
			asked[m["seq"]], ofChannel[m["seq"]] = is[ref], channels[ref]
		case m.is("response", "variables"):
			kind, channel := asked[m["request_seq"]], ofChannel[m["request_seq"]]
			l := m.list("variables")
			for i, v := range l {
				ref := v["variablesReference"]
				typ, _ := v["type"].(string)
				channels[ref] = strings.HasPrefix(typ, "chan ") && ref != 0.0
				switch {
				case channel && v["name"] == "buf":
					is[ref] = held
				case kind == held:
					is[ref] = array
				case kind == array && i > 0:
					if n, err := strconv.Atoi(fmt.Sprint(v["value"])); err == nil && typ == "int" {
						v["value"] = strconv.Itoa(n + 1)
					}
				default:
					is[ref] = none
				}
			}
			m.setList("variables", l)
		}
		p.pass(m)
	}
}
