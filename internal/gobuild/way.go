package gobuild

import "misstep/internal/machine"

// maxWay bounds the instructions that are looked at between two places.
const maxWay = 4096

// Leads reports whether the code leads from one place to another without coming to where a statement of another line than the first one's
// begins, at which a step would have ended. It is not known of places that the binary does not have, and where the way there may go by a jump
// whose target no instruction names, or where several lines begin at an instruction.
func (b *Build) Leads(from, to string) (leads, known bool) {
	code, err := b.Code()
	table, err2 := b.Lines()
	if err != nil || err2 != nil || b.Symbols == nil {
		return false, false
	}
	first, err := b.Symbols.AddressOf(from)
	last, err2 := b.Symbols.AddressOf(to)
	file, line, ok := table.At(first)
	if err != nil || err2 != nil || !ok {
		return false, false
	}
	known = true
	seen := map[uint64]bool{first: true}
	for next := []uint64{first}; len(next) > 0; next = next[1:] {
		in, ok := code.At(next[0])
		if !ok || in.Kind == machine.Far || len(seen) >= maxWay {
			known = false
			continue
		}
		for _, addr := range in.Next {
			if addr == last {
				return true, true
			}
			if seen[addr] {
				continue
			}
			seen[addr] = true
			if _, _, sure := table.At(addr); !sure {
				known = false // of several lines that begin there, which one counts is not said
			} else if is, at, begins := table.Beginning(addr); begins && (at != line || is != file) {
				continue
			}
			next = append(next, addr)
		}
	}
	return false, known
}

// Again reports whether the code leads from a place back to it, in whatever way. It is not known of places that the binary does not have, and
// where the way may go by a jump whose target no instruction names.
func (b *Build) Again(place string) (leads, known bool) {
	code, err := b.Code()
	if err != nil || b.Symbols == nil {
		return false, false
	}
	at, err := b.Symbols.AddressOf(place)
	if err != nil {
		return false, false
	}
	known = true
	seen := map[uint64]bool{}
	for next := []uint64{at}; len(next) > 0; next = next[1:] {
		in, ok := code.At(next[0])
		if !ok || in.Kind == machine.Far || in.System || len(seen) >= maxWay {
			known = false
			continue
		}
		for _, addr := range in.Next {
			if addr == at {
				return true, true
			}
			if !seen[addr] {
				seen[addr] = true
				next = append(next, addr)
			}
		}
	}
	return false, known
}
