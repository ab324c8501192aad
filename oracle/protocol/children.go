package protocol

import (
	"slices"
	"strings"

	godap "github.com/google/go-dap"
)

// A promise is how many children a variable says that it has, by kind.
type promise struct{ indexed, named int }

// mostCounted bounds the variables whose elements are counted. What has no value yet may say that it is longer than there is memory, and has
// as many elements as can be read; where several cannot be, those after them need not be shown (tolerance endless-values).
const mostCounted, severalUnread = 1024, 3

// promise notes what a variable says of its children; one that says nothing has not promised anything.
func (c *checker) promise(ref, indexed, named int) {
	if ref > 0 && indexed+named > 0 {
		c.promised[ref] = promise{indexed, named}
	}
}

// children judges those that come for a variable: their names, and how many there are.
func (c *checker) children(a godap.VariablesArguments, list []godap.Variable) {
	if _, scope := c.scopes[a.VariablesReference]; scope {
		return // of which a variable may be hidden by another of its name
	}
	names := map[[2]string]bool{} // keys of a map that are different may look alike
	for _, v := range list {
		key := [2]string{v.Name, v.EvaluateName}
		// A struct has as many fields without a name as it likes, a map as many keys that are no number; what was written to memory may have changed keys.
		if v.Name != "_" && !strings.Contains(v.Name, "NaN") && !c.written {
			c.check("children", !names[key], "two children have the name %q", v.Name)
		}
		names[key] = true
	}
	p, ok := c.promised[a.VariablesReference]
	if !ok {
		return
	}
	want, may := p.named, 0
	switch a.Filter {
	case "":
		if a.Start > 0 || a.Count > 0 {
			return
		}
		want += p.indexed
		if c.limited {
			may = p.indexed // those that are loaded (tolerance first-elements)
		}
	case "indexed":
		want = max(p.indexed-a.Start, 0)
		if a.Count > 0 {
			want = min(want, a.Count)
		}
	}
	// Of an entry of a map, key and value may come apart.
	apart := 0
	if a.Filter != "named" {
		apart = min(want, p.indexed)
	}
	if p.indexed > mostCounted {
		return
	}
	if unread := slices.DeleteFunc(slices.Clone(list), func(v godap.Variable) bool { return !strings.HasPrefix(v.Value, "(unreadable") }); len(unread) >= severalUnread {
		may = want
	}
	on := c.on
	if p.named == 1 && p.indexed > 0 && len(list) == want-1 && a.Filter != "indexed" {
		c.on += "/other" // the one that is none of the elements
	}
	c.check("children", len(list) >= want-may && len(list) <= want+apart, "%d children by the filter %q from %d on, of %d elements and %d others", len(list), a.Filter, a.Start, p.indexed, p.named)
	c.on = on
}
