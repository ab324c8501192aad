package gobuild

import (
	"debug/elf"
	"debug/gosym"
	"debug/macho"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Symbols are the functions of a binary by address. They turn addresses into
// places that do not change with where a binary is loaded or built, and back.
type Symbols struct {
	funcs []symbol // sorted by address
	index map[string]uint64
	names map[string]bool // of functions and variables
}

type symbol struct {
	name      string
	addr, end uint64
}

// ReadSymbols reads the symbol table of an ELF or Mach-O binary.
func ReadSymbols(binary string) (*Symbols, error) {
	s := &Symbols{index: map[string]uint64{}, names: map[string]bool{}}
	if f, err := elf.Open(binary); err == nil {
		defer f.Close()
		syms, err := f.Symbols()
		if errors.Is(err, elf.ErrNoSymbols) {
			err = s.fromRuntime(f)
		}
		if err != nil {
			return nil, err
		}
		for _, sym := range syms {
			s.names[sym.Name] = true
			if elf.ST_TYPE(sym.Info) == elf.STT_FUNC && sym.Size > 0 {
				s.funcs = append(s.funcs, symbol{sym.Name, sym.Value, sym.Value + sym.Size})
			}
		}
	} else if f, err := macho.Open(binary); err == nil {
		defer f.Close()
		if f.Symtab != nil {
			for _, sym := range f.Symtab.Syms {
				s.names[sym.Name] = true
				s.funcs = append(s.funcs, symbol{strings.TrimPrefix(sym.Name, "_"), sym.Value, 0})
			}
		}
	} else {
		return nil, fmt.Errorf("%s is neither ELF nor Mach-O", binary)
	}
	sort.Slice(s.funcs, func(i, j int) bool { return s.funcs[i].addr < s.funcs[j].addr })
	for i := range s.funcs {
		f := &s.funcs[i]
		if f.end == 0 && i+1 < len(s.funcs) {
			f.end = s.funcs[i+1].addr
		}
		if _, dup := s.index[f.name]; !dup {
			s.index[f.name] = f.addr
		}
	}
	return s, nil
}

// WithC reports whether the binary has code in C, by a function that comes with cgo.
func (s *Symbols) WithC() bool { return s.Has("_cgo_topofstack") }

// fromRuntime takes the functions of a stripped binary from the table that the runtime itself has of them.
func (s *Symbols) fromRuntime(f *elf.File) error {
	text, table := f.Section(".text"), f.Section(".gopclntab")
	if table == nil {
		table = f.Section(".data.rel.ro.gopclntab")
	}
	if text == nil || table == nil {
		return elf.ErrNoSymbols
	}
	data, err := table.Data()
	if err != nil {
		return fmt.Errorf("reading the runtime's table of functions: %w", err)
	}
	t, err := gosym.NewTable(nil, gosym.NewLineTable(data, text.Addr))
	if err != nil {
		return fmt.Errorf("reading the runtime's table of functions: %w", err)
	}
	for _, fn := range t.Funcs {
		s.names[fn.Name] = true
		s.funcs = append(s.funcs, symbol{fn.Name, fn.Entry, fn.End})
	}
	return nil
}

// Has reports whether there is a function or a variable of a name.
func (s *Symbols) Has(name string) bool { return s.names[name] }

// HasInstance reports whether there is a function of a name that has no type arguments, or an instance of one.
func (s *Symbols) HasInstance(name string) bool {
	return slices.ContainsFunc(s.funcs, func(f symbol) bool {
		plain, _, ok := strings.Cut(f.name, "[")
		if !ok {
			return f.name == name
		}
		return plain+f.name[strings.LastIndex(f.name, "]")+1:] == name
	})
}

// Of are the addresses of the functions whose names begin in one of some ways.
func (s *Symbols) Of(prefixes ...string) (all []uint64) {
	for _, f := range s.funcs {
		for _, p := range prefixes {
			if strings.HasPrefix(f.name, p) {
				all = append(all, f.addr)
				break
			}
		}
	}
	return all
}

// C are the addresses of the functions that are not Go's, whose names have no package.
func (s *Symbols) C() (all []uint64) {
	for _, f := range s.funcs {
		if !strings.Contains(f.name, ".") {
			all = append(all, f.addr)
		}
	}
	return all
}

// Place turns an address, as adapters write them, into "function+0xoffset". It
// returns "" for an address in no known function.
func (s *Symbols) Place(addr string) string {
	a, err := strconv.ParseUint(addr, 0, 64)
	if err != nil {
		return ""
	}
	return s.PlaceAt(a)
}

// PlaceAt is Place for an address as a number.
func (s *Symbols) PlaceAt(a uint64) string {
	i := sort.Search(len(s.funcs), func(i int) bool { return s.funcs[i].addr > a }) - 1
	if i < 0 || a >= s.funcs[i].end {
		return ""
	}
	return fmt.Sprintf("%s+%#x", s.funcs[i].name, a-s.funcs[i].addr)
}

// Address turns a place that Place returned into an address of this binary.
func (s *Symbols) Address(place string) (string, error) {
	addr, err := s.AddressOf(place)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%#x", addr), nil
}

// AddressOf is Address as a number.
func (s *Symbols) AddressOf(place string) (uint64, error) {
	i := strings.LastIndex(place, "+")
	if i < 0 {
		return 0, fmt.Errorf("instruction place %q: expected function+0xoffset", place)
	}
	off, err := strconv.ParseUint(place[i+1:], 0, 64)
	if err != nil {
		return 0, fmt.Errorf("instruction place %q: expected function+0xoffset", place)
	}
	addr, ok := s.index[place[:i]]
	if !ok {
		return 0, fmt.Errorf("instruction place %q: the program has no function %s", place, place[:i])
	}
	return addr + off, nil
}

// Text are the addresses at which the first function begins and the last one ends; 0 if there is none.
func (s *Symbols) Text() (from, to uint64) {
	if len(s.funcs) == 0 {
		return 0, 0
	}
	return s.funcs[0].addr, s.funcs[len(s.funcs)-1].end
}
