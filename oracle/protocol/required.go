package protocol

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// missing looks in a message for what its kind has to have (DAP, the JSON schema's "required", as the types of go-dap have it that
// are made from it: what may be left out has omitempty). A decoder takes what is missing, and null, for something empty; clients
// in other languages fail there. It returns where, such as body.variables[0].name; empty if all is there.
func missing(t reflect.Type, raw json.RawMessage, at string) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	null := len(raw) == 0 || string(raw) == "null"
	switch t.Kind() {
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "" // JSON as it is
		}
		if null {
			return at
		}
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) != nil {
			return at
		}
		for i, x := range list[:min(len(list), firstOf)] {
			if where := missing(t.Elem(), x, fmt.Sprintf("%s[%d]", at, i)); where != "" {
				return where
			}
		}
	case reflect.Struct:
		if null {
			return at
		}
		var fields map[string]json.RawMessage
		if json.Unmarshal(raw, &fields) != nil {
			return at
		}
		return missingField(t, fields, at)
	case reflect.Interface, reflect.Map:
	default:
		if null {
			return at
		}
	}
	return ""
}

// firstOf is how many elements of a list are looked at: they are made by the same code.
const firstOf = 8

func missingField(t reflect.Type, fields map[string]json.RawMessage, at string) string {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			if where := missingField(f.Type, fields, at); where != "" {
				return where
			}
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		value, has := fields[name]
		if name == "" || name == "-" || !has && strings.Contains(options, "omitempty") {
			continue
		}
		where := strings.TrimPrefix(at+"."+name, ".")
		if !has {
			return where
		}
		if where := missing(f.Type, value, where); where != "" {
			return where
		}
	}
	return ""
}
