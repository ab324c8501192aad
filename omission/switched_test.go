package omission_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"misstep/history"
	"misstep/history/record"
	"misstep/internal/testhouse"
)

// TestTurns: with all that ran made so that it can be inverted, a program compiles, and does what it did where nothing is inverted.
func TestTurns(t *testing.T) {
	h := testhouse.New(t)
	programs := testhouse.Part(h.Find(t, "corpus"), 16)
	for _, p := range programs {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			f, rec, _ := recordRun(t, h, p)
			turns := f.Turns()
			if len(turns) == 0 {
				t.Skip("nothing can be inverted")
			}
			r := &record.Recorder{Keeper: h.Keeper, Cache: h.Cache}
			rebuilt, err := r.Rebuild(ctx, rec, h.Engine, t.TempDir(), record.BuildOptions{Turn: turns})
			if err != nil {
				t.Fatal(err)
			}
			prints := func(rec *history.Recording) string {
				var out, file bytes.Buffer
				end, err := r.Run(ctx, rec, record.Options{Stdout: &out, Size: 64 << 20, Time: 20 * time.Second}, &file)
				if err != nil {
					t.Fatal(err)
				}
				return fmt.Sprint(out.String(), end.ExitCode)
			}
			before := prints(rec)
			if before != prints(rec) {
				t.Skip("it does not do the same twice")
			}
			if after := prints(rebuilt); before != after {
				t.Errorf("it prints %q, and %q if nothing is inverted", before, after)
			}
		})
	}
}
