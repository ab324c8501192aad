package finding

import (
	"regexp"
	"strconv"
	"strings"

	"misstep/dap"
)

// Fine tells findings of one class apart further: by what was asked for, and by what kind of thing was to be seen and was. Two that
// differ in it may well have two causes, which a class, made to have few members, puts together. It is no name for people.
func (f *Finding) Fine() string {
	if f.Oracle == "protocol" {
		return "" // whose classes say what is wrong
	}
	var parts []string
	if s := f.Session(); s != nil && s.Index >= 0 && s.Index < len(s.Base) {
		if e := s.Base[s.Index]; e.Action.Kind == dap.Evaluate {
			parts = append(parts, expression(e.Action.Name))
			if e.Output.Kind == dap.Refused {
				parts = append(parts, Refusal(e.Output.Text))
			}
		}
	}
	if d := f.Difference(); d != nil {
		if _, of, ok := strings.Cut(d.What, ", its "); ok {
			parts = append(parts, of)
		}
		parts = append(parts, shape(d.A), shape(d.B))
	}
	return strings.Join(parts, " ")
}

var (
	placeShape = regexp.MustCompile(`\.(go|s|c|h):\d+`)
	wordShape  = regexp.MustCompile(`^[\pL ,-]+$`)
)

// shape is the kind of thing that a text of a difference is.
func shape(text string) string {
	switch {
	case text == "" || text == "nil" || text == "true" || text == "false":
		return text
	case strings.Contains(text, "unreadable"):
		return "unreadable"
	case placeShape.MatchString(text):
		return "place"
	case strings.HasPrefix(text, "not shown"):
		return "not-shown"
	case strings.ContainsAny(text[:1], "\"`'"):
		return "text"
	case strings.HasPrefix(text, "[") || strings.Contains(text, "] ["):
		return "list"
	case strings.Contains(text, "{"):
		return "parts"
	case strings.HasPrefix(text, "*") || strings.HasPrefix(text, "(*") || strings.HasPrefix(text, "0x"):
		return "pointer"
	}
	first, _, _ := strings.Cut(text, " ")
	if _, err := strconv.ParseInt(first, 0, 64); err == nil {
		return "integer"
	}
	if _, err := strconv.ParseFloat(first, 64); err == nil {
		return "number"
	}
	if wordShape.MatchString(text) && len(text) < 40 {
		return text
	}
	return "other"
}
