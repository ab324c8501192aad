package history

import (
	"fmt"
	"slices"
	"strings"
)

// An Instance is an object of a recorded run.
type Instance struct {
	// Type is the name of its type, and Number counts the instances of that name,
	// from 1, in the order in which they were made or first seen.
	Type   string
	Number int
	// Made is the site where it was made, or of the call that gave it first; -1 if that
	// is not recorded.
	Made int
	// First is the time of its first event.
	First int64
	// Events counts its events.
	Events int64
	// Base is where it lies in memory.
	Base uint64
}

func (i *Instance) String() string { return fmt.Sprintf("<%s:%d>", i.Type, i.Number) }

// Instances finds out which object each event of a history is about. Events have to
// come in their order. An address belongs to the object that was made there last;
// what lies inside of an object belongs to it. An object that was made by code that
// is not recorded begins with the first event about it, and ends where a recorded one
// is made at its place.
type Instances struct {
	plan  *Plan
	All   []*Instance
	count map[string]int
	// spans are where objects lie, by their address, and pages which addresses there
	// are of each page of memory, in order.
	spans map[uint64]span
	pages map[uint64][]uint64
	// widest is how many pages the largest object has.
	widest uint64
}

// reflected is the type of sites at which a reflect.Value leads to an object.
const reflected = "reflect.Value"

// Reflected reports whether an event at a site is about what a reflect.Value leads to: two
// events, with the first and the last address of it.
func (s Site) Reflected() bool { return s.Type == reflected && s.Kind != Alloc }

type span struct {
	size int64
	i    *Instance
}

// pageBits are the bits of an address within a page.
const pageBits = 13

// NewInstances begins with no objects.
func NewInstances(p *Plan) *Instances {
	return &Instances{plan: p, count: map[string]int{}, spans: map[uint64]span{}, pages: map[uint64][]uint64{}}
}

// Of is the object of an event; nil of events about none, or about nil.
func (s *Instances) Of(e Event) *Instance {
	if e.Kind != Object && e.Kind != Made || e.Addr == 0 {
		return nil
	}
	site := s.plan.Sites[e.ID]
	at, found := s.find(e.Addr)
	var i *Instance
	switch {
	// Append may leave an array where it is, also one that is a part of an object.
	case e.Kind == Made && site.Kind == Append && found && uint64(s.spans[at].size) >= e.Addr-at+uint64(e.Size),
		e.Kind == Made && site.Kind == Addr && found,
		e.Kind == Object && found:
		i = s.spans[at].i
	case e.Kind == Made && e.Size > 0:
		s.clear(e.Addr, e.Size)
		i = s.add(site.Type, e.ID, e)
	case e.Kind == Made:
		return nil // objects without a size have no address of their own
	case e.Kind == Object && site.Reflected():
		return nil // of what only reflection has seen, neither type nor size are known
	case site.Variable > 0:
		i = s.add(site.Type, e.ID, e)
	case site.Kind == Got:
		i = s.add(site.Type, e.ID, e)
	default:
		i = s.add(site.Type, -1, e)
	}
	i.Events++
	if i.Type == reflected && !site.Reflected() && e.Addr == i.Base {
		// Reflection made it; now its type is known.
		s.rename(i, site.Type)
	}
	return i
}

func (s *Instances) rename(i *Instance, name string) {
	s.count[name]++
	i.Type, i.Number = name, s.count[name]
}

func (s *Instances) add(name string, made int, e Event) *Instance {
	s.count[name]++
	i := &Instance{Type: name, Number: s.count[name], Made: made, First: e.Time, Base: e.Addr}
	s.All = append(s.All, i)
	s.spans[e.Addr] = span{max(e.Size, 1), i}
	s.widest = max(s.widest, uint64(e.Size)>>pageBits+1)
	page := e.Addr >> pageBits
	list := s.pages[page]
	n, _ := slices.BinarySearch(list, e.Addr)
	s.pages[page] = slices.Insert(list, n, e.Addr)
	return i
}

// find is the beginning of the object that an address lies in.
func (s *Instances) find(addr uint64) (uint64, bool) {
	if _, ok := s.spans[addr]; ok {
		return addr, true
	}
	// Only large objects reach over many pages.
	for back := range s.widest + 1 {
		page := addr>>pageBits - back
		list := s.pages[page]
		if n, _ := slices.BinarySearch(list, addr); n > 0 {
			at := list[n-1]
			return at, addr < at+uint64(s.spans[at].size)
		}
		if page == 0 {
			break
		}
	}
	return 0, false
}

// clear ends the objects in a range.
func (s *Instances) clear(addr uint64, size int64) {
	if at, ok := s.find(addr); ok && at < addr {
		s.drop(at)
	}
	for page := addr >> pageBits; page <= (addr+uint64(size)-1)>>pageBits; page++ {
		for _, at := range slices.Clone(s.pages[page]) {
			if at >= addr && at < addr+uint64(size) {
				s.drop(at)
			}
		}
	}
}

func (s *Instances) drop(at uint64) {
	delete(s.spans, at)
	page := at >> pageBits
	list := s.pages[page]
	if n, ok := slices.BinarySearch(list, at); ok {
		list = slices.Delete(list, n, n+1)
	}
	if len(list) == 0 {
		delete(s.pages, page)
	} else {
		s.pages[page] = list
	}
}

// Made is where an instance was made, as file:line:column.
func (p *Plan) Made(i *Instance) string {
	if i.Made < 0 {
		return "made by what is not recorded"
	}
	s := p.Sites[i.Made]
	file := p.Files[p.Funcs[s.Func].File]
	if at := s.Variable - 1; at >= 0 && at <= len(file.Text) {
		before := file.Text[:at]
		s.Line, s.Column = 1+strings.Count(before, "\n"), at-strings.LastIndex(before, "\n")
	}
	return fmt.Sprintf("%s:%d:%d", file.Name, s.Line, s.Column)
}
