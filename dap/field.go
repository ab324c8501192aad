package dap

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Field is what a kind of action reads of an [Action], and how a script writes it: as an
// option with a value, as an option alone, or as a word.
type Field struct {
	Option string // its name; empty if it is a word
	Usage  string // of the value; empty if the option has none

	needs []string // capabilities of the adapter
	get   func(*Action) string
	set   func(*Action, string) error
}

// Get is the field of an action as a script writes it; empty if it is not set. An option
// without a value is "true".
func (f Field) Get(a *Action) string { return f.get(a) }

// Set reads what a script says; an empty text unsets an option.
func (f Field) Set(a *Action, text string) error { return f.set(a, text) }

// The fields of actions.
var (
	ConditionField = text("if", "CONDITION", func(a *Action) *string { return &a.Condition }, "supportsConditionalBreakpoints", Variables)
	HitField       = text("hit", "HITCONDITION", func(a *Action) *string { return &a.Hit }, "supportsHitConditionalBreakpoints")
	LogField       = text("log", "MESSAGE", func(a *Action) *string { return &a.Log }, "supportsLogPoints", Variables)

	FileField             = text("", "FILE", func(a *Action) *string { return &a.File })
	FunctionField         = text("", "FUNCTION", func(a *Action) *string { return &a.Name })
	InstructionPlaceField = text("", "FUNCTION+0xOFFSET", func(a *Action) *string { return &a.Name })
	CallField             = text("", "CALL", func(a *Action) *string { return &a.Name })
	ExpressionField       = text("", "EXPRESSION", func(a *Action) *string { return &a.Name })
	VariableField         = text("", "NAME", func(a *Action) *string { return &a.Name })
	MisuseField           = text("", "NAME", func(a *Action) *string { return &a.Name })
	ContextField          = choice("context", Contexts, func(a *Action) *string { return &a.Context })
	ValueField            = text("", "VALUE", func(a *Action) *string { return &a.Value })

	FiltersField   = text("", "NAME,…", func(a *Action) *string { return &a.Name })
	MeanwhileField = choice("meanwhile", Meanwhiles, func(a *Action) *string { return &a.Meanwhile })

	DataField   = text("", "OPERAND", func(a *Action) *string { return &a.Name })
	AccessField = choice("access", Accesses, func(a *Action) *string { return &a.Access })
	AsField     = choice("as", []string{"child", "expression"}, func(a *Action) *string { return &a.As })

	CommandField = Field{
		Usage: "COMMAND",
		get:   func(a *Action) string { return a.Name },
		set: func(a *Action, text string) error {
			if _, ok := questions[text]; !ok {
				return fmt.Errorf("expected a request that only asks, one of %s, not %q", strings.Join(Questions(), ", "), text)
			}
			a.Name = text
			return nil
		},
	}
	ArgumentsField = arguments("")
	// WithField is what a request says otherwise than usual.
	WithField = arguments("with")

	BytesField  = text("", "BYTES", func(a *Action) *string { return &a.Value })
	OffsetField = number("offset", func(a *Action) *int { return &a.Offset })
	BeforeField = number("before", func(a *Action) *int { return &a.Offset })

	FrameField = number("frame", func(a *Action) *int { return &a.Frame })
	PageField  = number("page", func(a *Action) *int { return &a.Page })
	// ThreadField is another thread than the one that has paused, by its number in the list.
	ThreadField = number("thread", func(a *Action) *int { return &a.Thread })

	PlaceField = Field{
		Usage: "FILE:LINE",
		get: func(a *Action) string {
			if a.Line == 0 {
				return ""
			}
			return fmt.Sprintf("%s:%d", a.File, a.Line)
		},
		set: func(a *Action, text string) (err error) {
			a.File, a.Line, err = ParsePlace(text)
			return err
		},
	}
	OrderField = Field{
		Option: "order", Usage: "1,0,…",
		get: func(a *Action) string {
			return strings.Trim(strings.ReplaceAll(fmt.Sprint(a.Order), " ", ","), "[]")
		},
		set: func(a *Action, text string) error {
			a.Order = nil
			if text == "" {
				return nil
			}
			for word := range strings.SplitSeq(text, ",") {
				n, err := strconv.Atoi(word)
				if err != nil || n < 0 {
					return fmt.Errorf("-order: expected numbers such as 1,0,2, not %q", text)
				}
				a.Order = append(a.Order, n)
			}
			return nil
		},
	}
	InstructionField = toggle("instruction", func(a *Action) *bool { return &a.Instruction }, "supportsSteppingGranularity")
	PlainField       = toggle("plain", func(a *Action) *bool { return &a.Plain })
	WayField         = choice("way", Ways, func(a *Action) *string { return &a.Way })
	RunningField     = toggle("running", func(a *Action) *bool { return &a.Running })
)

// arguments are those of a request, in JSON.
func arguments(option string) Field {
	return Field{
		Option: option, Usage: "JSON",
		get: func(a *Action) string { return a.Value },
		set: func(a *Action, text string) error {
			if (text != "" || option == "") && !json.Valid([]byte(text)) {
				return fmt.Errorf("expected arguments in JSON, not %q", text)
			}
			a.Value = text
			return nil
		},
	}
}

func text(option, usage string, of func(*Action) *string, needs ...string) Field {
	return Field{
		Option: option, Usage: usage, needs: needs,
		get: func(a *Action) string { return *of(a) },
		set: func(a *Action, text string) error {
			*of(a) = text
			return nil
		},
	}
}

// toggle is an option without a value.
func toggle(option string, of func(*Action) *bool, needs ...string) Field {
	return Field{
		Option: option, needs: needs,
		get: func(a *Action) string {
			if *of(a) {
				return "true"
			}
			return ""
		},
		set: func(a *Action, text string) error {
			*of(a) = text != ""
			return nil
		},
	}
}

// choice is an option that has one of some values.
func choice(option string, values []string, of func(*Action) *string) Field {
	return Field{
		Option: option, Usage: strings.ToUpper(option),
		get: func(a *Action) string { return *of(a) },
		set: func(a *Action, text string) error {
			if text != "" && !slices.Contains(values, text) {
				return fmt.Errorf("-%s: expected one of %s, not %q", option, strings.Join(values, ", "), text)
			}
			*of(a) = text
			return nil
		},
	}
}

func number(option string, of func(*Action) *int) Field {
	return Field{
		Option: option, Usage: "N",
		get: func(a *Action) string {
			if *of(a) == 0 {
				return ""
			}
			return strconv.Itoa(*of(a))
		},
		set: func(a *Action, text string) error {
			if text == "" {
				text = "0"
			}
			n, err := strconv.Atoi(text)
			if err != nil || n < 0 {
				return fmt.Errorf("-%s: expected a number from 0 on, not %q", option, text)
			}
			*of(a) = n
			return nil
		},
	}
}

// ParsePlace reads file:line.
func ParsePlace(text string) (file string, line int, err error) {
	i := strings.LastIndex(text, ":")
	if i > 0 {
		line, err = strconv.Atoi(text[i+1:])
	}
	if i <= 0 || err != nil || line <= 0 {
		return "", 0, fmt.Errorf("expected file:line, not %q", text)
	}
	return text[:i], line, nil
}

// String is the action as a line of a script.
func (a Action) String() string {
	words := []string{string(a.Kind)}
	for _, f := range a.Kind.Meaning().Fields {
		switch text := f.get(&a); {
		case text == "":
		case f.Option == "":
			words = append(words, Quote(text))
		case f.Usage == "":
			words = append(words, "-"+f.Option)
		default:
			words = append(words, "-"+f.Option, Quote(text))
		}
	}
	return strings.Join(words, " ")
}

// Quote makes one word of a script's line: in single quotes where it needs
// them, with a quote inside doubled.
func Quote(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t\n'#$\"\\*?;&|<>()[]{}!") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}
