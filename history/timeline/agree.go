package timeline

import "slices"

// agree leaves out of a model what another run of the program has differently.
func (m *Run) agree(other *Run) {
	if other.Why != "" {
		m.Why = other.Why
		return
	}
	same := map[uint64]uint64{}
	twins := m.twins(other)
	for _, t := range m.Threads {
		if m.cutOff(t, other) {
			continue
		}
		mine, theirs := m.alike(t), other.alike(t)
		t.Steady = t.Steady && len(mine) == len(theirs)
		for path, n := range mine {
			t.Steady = t.Steady && theirs[path] == n
		}
		for _, u := range other.Threads {
			if t.only && u.only && slices.Equal(t.Roots, u.Roots) {
				same[t.Goroutine] = u.Goroutine
			}
		}
		if g, ok := twins[t.Goroutine]; ok && !t.only {
			same[t.Goroutine] = g
		}
	}
	if m.Exit != nil && other.Exit != nil && *m.Exit != *other.Exit {
		m.Exit = nil
	}
	if !m.Concurrent() && !m.Threads[0].Steady {
		if m.Sure = min(m.Sure, m.apart(other)); m.Sure == 0 {
			m.Why = "it does not run the same each time"
			return
		}
		m.Threads[0].Steady = true // as far as that
	}
	if m.Snaps != nil {
		m.Snaps.Agree(other.Snaps, same)
	}
}

// cutOff shortens a goroutine which the program's end cuts off, in one of two runs at least, to what it does in both. It
// reports whether the two do the same until one is cut off.
func (m *Run) cutOff(t *Thread, other *Run) bool {
	i := slices.IndexFunc(other.Threads, func(u *Thread) bool { return u.only && slices.Equal(t.Roots, u.Roots) })
	if !t.only || !t.Steady || i < 0 || t.Lo == 0 {
		return false
	}
	u := other.Threads[i]
	if m.Whole(t) && other.Whole(u) {
		return false
	}
	n := 0
	for t.Lo+n < t.Last && u.Lo+n < u.Last && m.sign(t.Lo+n) == other.sign(u.Lo+n) {
		n++
	}
	if t.Lo+n == t.Last && u.Lo+n == u.Last && m.Ends(t) == other.Ends(u) {
		return true // both, at the same moment
	}
	// At the last moment before it was cut off, a statement may have come to its end or not.
	if t.Lo+n < t.Last-1 && u.Lo+n < u.Last-1 {
		return false
	}
	t.Hi = min(t.Hi, t.Lo+max(n-1, 0))
	t.Path = m.path(t)
	return true
}

// twins are the goroutines of another run that do the same as those of this one with the same values, where several have the same functions at
// their bottom: parts of a test by all of their values, and others, which are given their values, by most of them. Those that take what comes to
// them have no values that are known then.
func (m *Run) twins(other *Run) map[uint64]uint64 {
	found := map[uint64]uint64{}
	done := map[*Thread]bool{}
	for _, t := range m.Threads {
		for _, u := range other.Threads {
			if t.Values != 0 && t.Values == u.Values && t.Path == u.Path && slices.Equal(t.Roots, u.Roots) {
				found[t.Goroutine] = u.Goroutine
				break
			}
		}
		if t.only || t.Values != 0 || done[t] || m.Snaps == nil || other.Snaps == nil {
			continue
		}
		same := func(u *Thread) bool { return u.Path == t.Path && slices.Equal(u.Roots, t.Roots) }
		mine, theirs := members(m.Threads, same), members(other.Threads, same)
		for _, u := range m.Threads {
			done[u] = done[u] || same(u)
		}
		if len(mine) > maxKin || len(theirs) > maxKin {
			continue
		}
		kin := m.Snaps.Kin(mine, other.Snaps, theirs)
		for range mine {
			most, i, k := 0, -1, -1
			for a := range mine {
				for b := range theirs {
					if kin[a][b] > most {
						most, i, k = kin[a][b], a, b
					}
				}
			}
			if i < 0 {
				break
			}
			found[mine[i]] = theirs[k]
			for a := range mine {
				kin[a][k] = 0
			}
			kin[i] = make([]int, len(theirs))
		}
	}
	return found
}

// maxKin bounds the goroutines of a kind that are told apart by their values.
const maxKin = 16

// members are the goroutines of some threads.
func members(all []*Thread, is func(*Thread) bool) (list []uint64) {
	for _, t := range all {
		if is(t) {
			list = append(list, t.Goroutine)
		}
	}
	return list
}

// alike are the paths of the goroutines with the same functions at the bottom.
func (m *Run) alike(t *Thread) map[uint64]int {
	paths := map[uint64]int{}
	for _, u := range m.Threads {
		if slices.Equal(t.Roots, u.Roots) {
			paths[u.Path]++
		}
	}
	return paths
}

// tellApart notes the values that goroutines have written, where several have the same functions at their bottom.
func (m *Run) tellApart() {
	if m.Snaps == nil || !slices.ContainsFunc(m.Threads, func(t *Thread) bool { return !t.only }) {
		return
	}
	digests := m.Snaps.Digests()
	for _, t := range m.Threads {
		t.Values = digests[t.Goroutine]
	}
}
