// Package machine says where a processor can be after one instruction of a binary.
//
// The instructions are those of the file, not of the memory of a process, into which debuggers write their breakpoints.
// Each is decoded by itself (golang.org/x/arch): it goes on after itself, or at the target that a jump or a call names;
// after a return, or a jump or a call by way of a register, it is anywhere. A string instruction with a repeat prefix
// may come again, as a processor that is stepped stops after each round of it.
//
// Covered are ELF binaries for amd64 and arm64. Not covered: instructions that the decoder does not know, of which
// nothing is said; signals, and faults of the program.
//
// Watches says whether this machine's processor notices writes at all that it is asked to watch.
package machine

import (
	"debug/elf"
	"fmt"

	"golang.org/x/arch/arm64/arm64asm"
	"golang.org/x/arch/x86/x86asm"
)

// A Code is the instructions of a binary.
type Code struct {
	machine elf.Machine
	parts   []part
}

// A part is a section with instructions.
type part struct {
	addr uint64
	data []byte
}

// Open reads the instructions of an ELF binary.
func Open(binary string) (*Code, error) {
	f, err := elf.Open(binary)
	if err != nil {
		return nil, fmt.Errorf("reading the instructions of %s: %w", binary, err)
	}
	defer f.Close()
	c := &Code{machine: f.Machine}
	for _, s := range f.Sections {
		if s.Type != elf.SHT_PROGBITS || s.Flags&elf.SHF_EXECINSTR == 0 {
			continue
		}
		data, err := s.Data()
		if err != nil {
			return nil, fmt.Errorf("reading the section %s of %s: %w", s.Name, binary, err)
		}
		c.parts = append(c.parts, part{s.Addr, data})
	}
	return c, nil
}

// Bytes are so many bytes from an address on, all of one section; nil if the binary has none there.
func (c *Code) Bytes(addr uint64, n int) []byte {
	for _, p := range c.parts {
		if addr >= p.addr && addr-p.addr+uint64(n) <= uint64(len(p.data)) {
			return p.data[addr-p.addr:][:n]
		}
	}
	return nil
}

// A Kind is what an instruction does with the flow of control.
type Kind int

// The kinds of instructions.
const (
	Plain  Kind = iota // goes on, or jumps to a target that it names
	Call               // calls, and goes on after itself when that returns
	Return             // returns to the caller
	Far                // jumps to what a register or the memory says
)

// An Instruction is one of a binary.
type Instruction struct {
	Kind  Kind
	Bytes []byte
	// Next are the addresses at which a processor may be after it; of a call, when it has returned, and of a return or a
	// far jump there are none.
	Next []uint64
	// Jump says that it does nothing but go on at the address that it names.
	Jump bool
	// Into is where a call goes; zero if that is not known.
	Into uint64
	// System says that it asks the system for something, which may have it come again where that was interrupted.
	System bool
}

// At is the instruction at an address. It is not ok if there is none that can be decoded.
func (c *Code) At(addr uint64) (in Instruction, ok bool) {
	for _, p := range c.parts {
		if addr < p.addr || addr-p.addr >= uint64(len(p.data)) {
			continue
		}
		data := p.data[addr-p.addr:]
		switch c.machine {
		case elf.EM_X86_64:
			return amd64(addr, data)
		case elf.EM_AARCH64:
			return arm64(addr, data)
		}
	}
	return in, false
}

func amd64(addr uint64, data []byte) (in Instruction, ok bool) {
	x, err := x86asm.Decode(data, 64)
	if err != nil || x.Len == 0 || x.Len > len(data) {
		return in, false
	}
	in.Bytes = data[:x.Len]
	after := addr + uint64(x.Len)
	target, named := x.Args[0].(x86asm.Rel)
	to := after + uint64(int64(target))
	switch x.Op {
	case x86asm.RET, x86asm.LRET, x86asm.IRET, x86asm.IRETD, x86asm.IRETQ, x86asm.SYSRET:
		in.Kind = Return
	case x86asm.LJMP, x86asm.LCALL, x86asm.SYSENTER, x86asm.SYSEXIT, x86asm.UD1, x86asm.UD2, x86asm.HLT, x86asm.INT, x86asm.INTO:
		in.Kind = Far
	case x86asm.CALL:
		in.Kind, in.Next = Call, []uint64{after}
		if named {
			in.Into = to
		}
	case x86asm.JMP:
		if !named {
			in.Kind = Far
			break
		}
		in.Next, in.Jump = []uint64{to}, true
	default:
		in.Next, in.System = []uint64{after}, x.Op == x86asm.SYSCALL
		if named {
			in.Next = append(in.Next, to) // a jump on a condition
		}
		for _, p := range x.Prefix {
			if p&0xff == x86asm.PrefixREP&0xff || p&0xff == x86asm.PrefixREPN&0xff {
				in.Next = append(in.Next, addr)
				break
			}
		}
	}
	return in, true
}

func arm64(addr uint64, data []byte) (in Instruction, ok bool) {
	const size = 4
	x, err := arm64asm.Decode(data)
	if err != nil || len(data) < size {
		return in, false
	}
	in.Bytes = data[:size]
	after := addr + size
	var to uint64
	named := false
	for _, arg := range x.Args {
		if rel, ok := arg.(arm64asm.PCRel); ok {
			to, named = addr+uint64(int64(rel)), true
		}
	}
	switch x.Op {
	case arm64asm.RET, arm64asm.ERET:
		in.Kind = Return
	case arm64asm.BR, arm64asm.BRK, arm64asm.HLT, arm64asm.SVC, arm64asm.DRPS:
		in.Kind, in.System = Far, x.Op == arm64asm.SVC
	case arm64asm.BL, arm64asm.BLR:
		in.Kind, in.Next = Call, []uint64{after}
		if named {
			in.Into = to
		}
	case arm64asm.B:
		in.Next, in.Jump = []uint64{to}, true
		if _, conditional := x.Args[0].(arm64asm.Cond); conditional {
			in.Next, in.Jump = append(in.Next, after), false
		}
	case arm64asm.CBZ, arm64asm.CBNZ, arm64asm.TBZ, arm64asm.TBNZ:
		in.Next = []uint64{after, to}
	default:
		in.Next = []uint64{after}
	}
	return in, true
}
