package hub_test

import (
	"context"
	"os"
	"os/exec"
	"sync"
	"testing"

	"misstep/campaign"
	"misstep/campaign/hub"
)

// A victim is ended by a program that is only looked at.
type victim struct{ campaign.Worker }

func (victim) Check(context.Context, *campaign.Job) (bool, error) {
	os.Exit(9)
	return false, nil
}

// A program that ends each worker which looks at it does not end the campaign: nothing is known of the debugger by that.
func TestCheckDies(t *testing.T) {
	s, err := hub.Serve("127.0.0.1:0", t.TempDir(), shortLease, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	h, err := s.Join(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	ctx, stop := context.WithCancel(t.Context())
	var victims sync.WaitGroup
	victims.Go(func() {
		for ctx.Err() == nil {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), roleVar+"=victim", hubVar+"="+s.Address)
			if err := cmd.Start(); err != nil {
				t.Error(err)
				return
			}
			done := make(chan bool)
			go func() {
				cmd.Wait()
				close(done)
			}()
			select {
			case <-done:
			case <-ctx.Done():
				cmd.Process.Kill()
				<-done
			}
		}
	})
	sum, _, err := submit(t, t.Context(), h, config(t, 1, 3))
	stop()
	victims.Wait()
	if err != nil || sum.Runs != 3 {
		t.Errorf("%+v, %v", sum, err)
	}
}
