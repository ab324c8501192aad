package lines

import (
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
)

// places are the parts of a binary's debug information that say where variables are while code is executed, as debug/dwarf does not
// read them: lists of places (DWARF 4, section 2.6.2, and DWARF 5, section 2.6.2 and 7.29), and the addresses that they name by number.
type places struct {
	order       binary.ByteOrder
	loc         []byte // .debug_loc, of DWARF 4
	lists, addr []byte // .debug_loclists and .debug_addr, of DWARF 5
}

func placesOf(f *elf.File) places {
	read := func(name string) []byte {
		s := f.Section(name)
		if s == nil {
			return nil
		}
		data, err := s.Data()
		if err != nil {
			return nil // nothing is known of places then
		}
		return data
	}
	if f.Class != elf.ELFCLASS64 {
		return places{}
	}
	return places{f.ByteOrder, read(".debug_loc"), read(".debug_loclists"), read(".debug_addr")}
}

// closureOffset says where in its closure a function has what it captures (cmd/internal/dwarf, DW_AT_go_closure_offset).
const closureOffset dwarf.Attr = 0x2907

// nowhere reports whether a variable of a unit of Go's is known to have no place at an instruction.
func (t *Table) nowhere(unit, e *dwarf.Entry, addr uint64) bool {
	if lang, ok := unit.Val(dwarf.AttrLanguage).(int64); !ok || lang != languageGo || e.Val(dwarf.AttrConstValue) != nil || e.Val(closureOffset) != nil {
		return false
	}
	field := e.AttrField(dwarf.AttrLocation)
	switch {
	case field == nil:
		return true
	case field.Class == dwarf.ClassExprLoc:
		expr, ok := field.Val.([]byte)
		return ok && len(expr) == 0
	case field.Class != dwarf.ClassLocListPtr:
		return false
	}
	at, ok := field.Val.(int64)
	if !ok || at < 0 {
		return false
	}
	low, _ := unit.Val(dwarf.AttrLowpc).(uint64)
	base, numbered := unit.Val(dwarf.AttrAddrBase).(int64)
	if numbered {
		placed, known := t.places.listed(at, low, base, addr)
		return known && !placed
	}
	placed, known := t.places.listedBefore(at, low, addr)
	return known && !placed
}

// A cursor reads numbers; it fails where there are none left.
type cursor struct {
	order  binary.ByteOrder
	data   []byte
	failed bool
}

func (c *cursor) bytes(n uint64) []byte {
	if uint64(len(c.data)) < n {
		c.failed, c.data = true, nil
		return nil
	}
	b := c.data[:n]
	c.data = c.data[n:]
	return b
}

func (c *cursor) fixed(size uint64) uint64 {
	b := c.bytes(size)
	switch len(b) {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(c.order.Uint16(b))
	case 8:
		return c.order.Uint64(b)
	}
	return 0
}

func (c *cursor) uleb() uint64 {
	n, size := binary.Uvarint(c.data) // which is the same code
	if size <= 0 {
		c.failed, c.data = true, nil
		return 0
	}
	c.data = c.data[size:]
	return n
}

// The kinds of entries of a list (DWARF 5, section 7.7.3).
const (
	endOfList = iota
	baseNumber
	startEndNumbers
	startNumberLength
	offsets
	always
	baseAddress
	startEnd
	startLength
)

// listed reports whether a list of DWARF 5, at a place of its section, has a place for an address.
func (p *places) listed(at int64, low uint64, base int64, addr uint64) (placed, known bool) {
	if at >= int64(len(p.lists)) || base < 0 {
		return false, false
	}
	c := &cursor{order: p.order, data: p.lists[at:]}
	number := func(n uint64) uint64 {
		from := uint64(base) + 8*n
		if n > uint64(len(p.addr)) || from+8 > uint64(len(p.addr)) {
			c.failed = true
			return 0
		}
		return p.order.Uint64(p.addr[from:])
	}
	for !c.failed {
		var from, to uint64
		switch kind := c.fixed(1); kind {
		case endOfList:
			return false, !c.failed
		case baseNumber:
			low = number(c.uleb())
			continue
		case baseAddress:
			low = c.fixed(8)
			continue
		case startEndNumbers:
			from = number(c.uleb())
			to = number(c.uleb())
		case startNumberLength:
			from = number(c.uleb())
			to = from + c.uleb()
		case offsets:
			from = low + c.uleb()
			to = low + c.uleb()
		case always:
			from, to = 0, ^uint64(0)
		case startEnd:
			from = c.fixed(8)
			to = c.fixed(8)
		case startLength:
			from = c.fixed(8)
			to = from + c.uleb()
		default:
			return false, false
		}
		if expr := c.bytes(c.uleb()); from <= addr && addr < to && len(expr) > 0 {
			return true, !c.failed
		}
	}
	return false, false
}

// listedBefore is listed of DWARF 4.
func (p *places) listedBefore(at int64, low, addr uint64) (placed, known bool) {
	if at >= int64(len(p.loc)) {
		return false, false
	}
	c := &cursor{order: p.order, data: p.loc[at:]}
	for !c.failed {
		from, to := c.fixed(8), c.fixed(8)
		switch {
		case c.failed:
		case from == 0 && to == 0:
			return false, true
		case from == ^uint64(0):
			low = to
			continue
		}
		if expr := c.bytes(c.fixed(2)); low+from <= addr && addr < low+to && len(expr) > 0 {
			return true, !c.failed
		}
	}
	return false, false
}
