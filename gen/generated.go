package gen

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"

	"misstep/gen/random"
	"misstep/internal/gobuild"
)

const (
	manyGenerated = 20     // programs that the pattern generated means
	mostGenerated = 10_000 // programs that one pattern may ask for
)

// generated makes the programs of a seed, or of those from one to another, such as 7 or 1-50;
// without any, of the first few.
func (f *Finder) generated(ctx context.Context, seeds string) (found []*gobuild.Program, err error) {
	from, to := int64(1), int64(manyGenerated)
	if seeds != "" {
		first, last, several := strings.Cut(seeds, "-")
		if !several {
			last = first
		}
		var err2 error
		from, err = strconv.ParseInt(first, 10, 64)
		to, err2 = strconv.ParseInt(last, 10, 64)
		if err != nil || err2 != nil || from < 0 || to < from || to-from >= mostGenerated {
			return nil, fmt.Errorf("programs generated/%s: want a seed, or two with a - between them, such as generated/1-50 (at most %d)", seeds, mostGenerated)
		}
	}
	for seed := from; seed <= to; seed++ {
		p, err := f.Unpack(ctx, fmt.Sprintf("generated/%d", seed), &txtar.Archive{Files: []txtar.File{{Name: "main.go", Data: []byte(random.Program(seed))}}})
		if err != nil {
			return nil, err
		}
		found = append(found, p)
	}
	return found, nil
}
