package hub

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"misstep/campaign"
	"misstep/dap"
	"misstep/internal/gobuild"
)

// An order is a job or a task in the queue.
type order struct {
	Campaign string
	// Name is where its answer goes: among the outcomes, or among the answers if Check is set.
	Name string
	// Check asks whether the job's engine works, in place of what comes of the job.
	Check bool `json:",omitempty"`
	// Content is the name of the job's program, or of the task's data, among the contents; empty of a reduction.
	Content string        `json:",omitempty"`
	Job     *campaign.Job `json:",omitempty"`
	Task    *Task         `json:",omitempty"`
}

// A checked is the answer to a check.
type checked struct {
	Fit bool `json:",omitempty"`
	// Failed says why the engine does not work; empty if it does.
	Failed string `json:",omitempty"`
}

// outcomeName is the name of a job's outcome: outcomes are in the order of their jobs by it.
func outcomeName(name string, index int, key string) string {
	return fmt.Sprintf("%s.%020d.%s", name, int64(index)+1<<32, part(key))
}

// part is a text as a part of a key; jobs' keys are as they are.
func part(key string) string {
	for _, r := range key {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			sum := sha256.Sum256([]byte(key))
			return hex.EncodeToString(sum[:])
		}
	}
	return key
}

// engines are those that the order is done with.
func (o *order) engines() []string {
	if o.Task != nil {
		return o.Task.Engines
	}
	all := append([]string{o.Job.Engine}, o.Job.Against...)
	if o.Job.Baseline != "" {
		all = append(all, o.Job.Baseline)
	}
	return all
}

// needs are the adapters that the order's engines have, as a part of a subject. Delve, which anybody can build, is
// not said.
func (o *order) needs() (string, error) {
	var all []string
	for _, text := range o.engines() {
		e, err := portable(text)
		if err != nil {
			return "", err
		}
		if e.Adapter != "dlv" && e.Adapter != dap.Recorded && !slices.Contains(all, e.Adapter) {
			all = append(all, e.Adapter)
		}
	}
	slices.Sort(all)
	return adaptersPart(all), nil
}

func adaptersPart(adapters []string) string {
	if len(adapters) == 0 {
		return "dlv"
	}
	return strings.Join(adapters, "_")
}

// portable is an engine that means the same on all machines.
func portable(text string) (gobuild.Engine, error) {
	e, err := gobuild.ParseEngine(text)
	switch {
	case err != nil:
		return e, err
	case e.Path != "" || strings.ContainsAny(e.Adapter, `/\.`):
		return e, fmt.Errorf("engine %s is a file of one machine; expected one that all workers have, such as dlv@%s", e, gobuild.PinnedDelve)
	}
	return e, nil
}

// subject is where an order is queued.
func (o *order) subject() (string, error) {
	adapters, err := o.needs()
	if err != nil {
		return "", err
	}
	return jobSubject + strings.Join([]string{runtime.GOOS, runtime.GOARCH, adapters, o.Campaign}, "."), nil
}

// order makes the order for a job, with its program on the hub.
func (h *Hub) order(ctx context.Context, name string, j *campaign.Job) (*order, error) {
	o := &order{Campaign: name, Job: j}
	if j.Run == nil {
		return o, nil
	}
	if len(j.Run.Program.Files) == 0 {
		return nil, fmt.Errorf("%s is too large to be sent along", j.Run.Program.Name)
	}
	text, err := json.Marshal(j.Run.Program)
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", j.Run.Program.Name, err)
	}
	if o.Content, err = h.store(ctx, text); err != nil {
		return nil, err
	}
	bare, run := *j, *j.Run
	run.Program = campaign.Content{Name: run.Program.Name}
	bare.Run = &run
	o.Job = &bare
	return o, nil
}

// mostTime bounds what an order may ask for, and mostJobs the processes of a reduction.
const (
	mostTime = 2 * time.Hour
	mostJobs = 64
)

// parseOrder reads an order that came from somebody. Anything in it may be wrong.
func parseOrder(text []byte) (*order, error) {
	o := &order{}
	if err := json.Unmarshal(text, o); err != nil {
		return nil, fmt.Errorf("an order that is none: %w", err)
	}
	j := o.Job
	switch {
	case !names.MatchString(o.Campaign):
		return nil, fmt.Errorf("an order of the campaign %.80q: expected small letters, digits and dashes", o.Campaign)
	case (j == nil) == (o.Task == nil):
		return nil, errors.New("an order that is neither a job nor a task, or both")
	case o.Task != nil && (o.Check || o.Content != "" && len(o.Content) != 2*sha256.Size):
		return nil, errors.New("an order of a task whose content is none")
	case j != nil && (j.Run == nil) == (j.Reduce == nil):
		return nil, errors.New("an order without a job: expected a run or a reduction")
	case !strings.HasPrefix(o.Name, o.Campaign+".") || strings.ContainsAny(o.Name, "*> \t\r\n") || len(o.Name) > 300:
		return nil, fmt.Errorf("an order whose answer goes to %.80q: expected a place of its campaign", o.Name)
	case o.Task != nil:
		if err := o.Task.check(); err != nil {
			return nil, err
		}
	case j.Run != nil && len(o.Content) != 2*sha256.Size:
		return nil, errors.New("an order without its program")
	case j.Limits.Time > mostTime || j.Options.Run > mostTime || j.Reduce != nil && (j.Reduce.Budget > mostTime || j.Reduce.Workers > mostJobs):
		return nil, fmt.Errorf("an order that takes more than %s or %d processes at a time", mostTime, mostJobs)
	}
	for _, text := range o.engines() {
		if _, err := portable(text); err != nil {
			return nil, fmt.Errorf("an order: %w", err)
		}
	}
	return o, nil
}

// filled is the order's job with its program.
func (w *Worker) filled(ctx context.Context, o *order) (*campaign.Job, error) {
	j := *o.Job
	if j.Run == nil {
		return &j, nil
	}
	run := *j.Run
	var err error
	if run.Program, err = w.program(ctx, o.Content); err != nil {
		return nil, err
	}
	j.Run = &run
	return &j, nil
}

// mostPrograms is how many programs a worker keeps, of those that it had last.
const mostPrograms = 64

// program is a program from the hub.
func (w *Worker) program(ctx context.Context, name string) (campaign.Content, error) {
	w.mu.Lock()
	p, ok := w.programs[name]
	w.mu.Unlock()
	if ok {
		return p, nil
	}
	text, err := w.Hub.load(ctx, name)
	if err != nil {
		return p, err
	}
	if err := json.Unmarshal(text, &p); err != nil {
		return p, fmt.Errorf("reading the program of a job: %w", err)
	}
	if len(p.Files) == 0 {
		return p, errors.New("a program without files")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.programs) >= mostPrograms {
		clear(w.programs)
	}
	w.programs[name] = p
	return p, nil
}
