package action

import (
	"encoding/hex"
	"fmt"
	"go/token"
	"strconv"
	"strings"

	"misstep/dap"
	"misstep/transform"
)

// writeUndone writes into the memory of a slice or a string, and writes back what was there. Guards: only what is
// shown under its plain name and has its memory shown, of elements that have no padding and no pointers.
var writeUndone = transform.Transformation{
	Name: "write-undone",
	Doc:  "Writes into the memory of a slice or a string, and back: the variable and its memory show what was written, and there is no other difference.",
	Choose: func(c *transform.Choice) (transform.Params, bool) {
		type chance struct {
			at      int
			name    string
			element int
		}
		var can []chance
		for _, i := range c.Pauses() {
			for _, scope := range c.Base[i].Output.Pause.Scopes {
				for _, v := range scope.Vars {
					if n := elements(&v); n > 0 && token.IsIdentifier(v.Name) {
						can = append(can, chance{i, v.Name, c.R.IntN(n)})
					}
				}
			}
		}
		if len(can) == 0 {
			return nil, false
		}
		ch := transform.Pick(c.R, can)
		return transform.Params{"at": strconv.Itoa(ch.at + 1), "name": ch.name, "element": strconv.Itoa(ch.element)}, true
	},
	Differs: true,
	Run: func(d *transform.Driver, p transform.Params) error {
		k, err := p.Num("element")
		if err != nil {
			return err
		}
		return d.AtPause(p, func(pause *dap.Pause) error { return writeAndBack(d, pause, p["name"], k) })
	},
}

// sizes are those of the elements of slices whose memory can be written.
var sizes = map[string]int{"[]uint8": 1, "[]int32": 4, "[]int": 8}

// elements is how many elements of a slice, or bytes of a string, can be written: those that are shown within
// what is read of memory. It is 0 for other variables.
func elements(v *dap.Variable) int {
	size := sizes[v.Type]
	switch {
	case size > 0:
		n := 0
		for n < dap.MemoryBytes/size && v.Element(n) != nil {
			n++
		}
		return n
	case v.Type == "string":
		if text, err := strconv.Unquote(v.Value); err == nil {
			n := 0
			for n < len(text) && n < dap.MemoryBytes && 'a' <= text[n]|0x20 && text[n]|0x20 <= 'y' {
				n++
			}
			return n // its letters, of which the next one is a letter as well
		}
	}
	return 0
}

// writeAndBack writes another value into the k-th element of a variable, looks, and writes the old one.
func writeAndBack(d *transform.Driver, pause *dap.Pause, name string, k int) error {
	v := pause.Var(name)
	if v == nil || k >= elements(v) {
		return transform.NotMadef("%s has no element %d that can be written", name, k)
	}
	out, err := d.Do(dap.Action{Kind: dap.Memory, Name: name})
	if err != nil {
		return err
	}
	if out.Kind != dap.Answered {
		return transform.NotMadef("%s", out)
	}
	was, err := hex.DecodeString(strings.ReplaceAll(out.Value.Value, " ", ""))
	size := max(sizes[v.Type], 1)
	if err != nil || len(was) < (k+1)*size {
		return transform.NotMadef("the memory of %s is shown as %s", name, out.Value.Value)
	}
	old := was[k*size]
	now, before, after := old^1, v.Value, ""
	if v.Type == "string" {
		now = old + 1
		text, err := strconv.Unquote(v.Value)
		if err != nil || text[k] != old {
			return transform.NotMadef("the memory of %s is not what it shows", name)
		}
		after = strconv.Quote(text[:k] + string(rune(now)) + text[k+1:])
	} else {
		before = number(v.Element(k))
		n, err := strconv.ParseInt(before, 10, 64)
		if err != nil || byte(n) != old {
			return transform.NotMadef("the memory of %s is not what it shows", name)
		}
		after = strconv.FormatInt(n^1, 10)
	}
	for _, write := range []struct {
		value byte
		shown string
	}{{now, after}, {old, before}} {
		bytes := append([]byte{}, was...)
		bytes[k*size] = write.value
		a := dap.Action{Kind: dap.WriteMem, Name: name, Offset: k * size, Value: fmt.Sprintf("%02x", write.value)}
		out, err := d.Do(a)
		if err != nil {
			return err
		}
		if out.Kind == dap.Unsupported {
			return transform.NotMadef("%s", out)
		}
		d.Checks++
		differs := func(what, a, b string) error {
			return &transform.Mismatch{Index: len(d.Events) - 1, Action: d.Events[len(d.Events)-1].Action, Diff: &dap.Difference{Kind: dap.DiffValue, What: what, A: a, B: b}}
		}
		if out.Kind != dap.Done {
			return differs(a.String(), "done", out.String())
		}
		if out, err = d.Do(dap.Action{Kind: dap.Memory, Name: name}); err != nil {
			return err
		}
		if want, got := fmt.Sprintf("% x", bytes), said(out); got != want {
			return differs("the memory of "+name, want, got)
		}
		if out, err = d.Do(dap.Action{Kind: dap.Vars}); err != nil {
			return err
		}
		if got := element(out, name, k); got != write.shown {
			return differs(fmt.Sprintf("%s, where element %d was written", name, k), write.shown, got)
		}
	}
	return nil
}

// number is what is shown of one, without the character or the name that it stands for.
func number(v *dap.Variable) string {
	text, _, _ := strings.Cut(v.Value, " ")
	return text
}

// said is an answer's value, or the answer.
func said(out *dap.Output) string {
	if out.Value != nil {
		return out.Value.Value
	}
	return out.String()
}

// element is what an answer shows of the k-th element of a slice, or of a string.
func element(out *dap.Output, name string, k int) string {
	for _, s := range out.Scopes {
		for _, v := range s.Vars {
			switch {
			case v.Name != name:
			case v.Type == "string":
				return v.Value
			case v.Element(k) != nil:
				return number(v.Element(k))
			}
		}
	}
	return "not shown"
}
