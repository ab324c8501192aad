package history

// Kin is how many values of basic types each of some goroutines has in common with each of another run's: those that variables of one name
// have at the same execution of a statement.
func (s *Snapshots) Kin(mine []uint64, other *Snapshots, theirs []uint64) [][]int {
	keys := map[uint64][]snapKey{}
	for k := range s.at {
		keys[k.goroutine] = append(keys[k.goroutine], k)
	}
	kin := make([][]int, len(mine))
	for i, g := range mine {
		kin[i] = make([]int, len(theirs))
		for j, h := range theirs {
			for _, k := range keys[g] {
				again := other.at[snapKey{h, k.path, k.offset}]
				for n, snap := range s.at[k][:min(len(s.at[k]), len(again))] {
					kin[i][j] += inCommon(snap.Vars, again[n].Vars)
				}
			}
		}
	}
	return kin
}

// inCommon is how many values of basic types two lists have alike.
func inCommon(mine, theirs []Value) (n int) {
	for i := range mine {
		for k := range theirs {
			v, w := &mine[i], &theirs[k]
			if v.Name != w.Name || v.Kind != w.Kind {
				continue
			}
			if len(v.Children) == 0 && v.Text == w.Text && v.Len == w.Len && v.Kind != Unknown {
				n++
			}
			n += inCommon(v.Children, w.Children)
			break
		}
	}
	return n
}
