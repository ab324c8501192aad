package hub

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"misstep/campaign"
)

// A Task is work that is no run of a campaign, such as a test of a suite on a debugger: its answer follows from it, is
// kept on the hub for an hour, and is nobody's but whose who asks.
type Task struct {
	// Kind is by which of the worker's functions it is done.
	Kind string
	// What is what it is, in a few words.
	What string
	// Engines are those that it is done with.
	Engines []string
	// Data is what the worker's function is given, and Content as well, which many tasks have in common; or empty.
	Data    []byte
	Content []byte `json:"-"`
}

// A TaskFunc does tasks of a kind. The worker that it is given is what [Worker.Open] made. An error is of the machine:
// another worker tries it then.
type TaskFunc func(ctx context.Context, w campaign.Worker, data, content []byte) ([]byte, error)

// An answered is the answer to a task.
type answered struct {
	Data []byte `json:",omitempty"`
	// Failed says why nobody could do it; empty if somebody did.
	Failed string `json:",omitempty"`
}

// mostKind bounds the name of a kind, and mostWhat the words for a task, in bytes.
const mostKind, mostWhat = 40, 400

// check is an error if a task that came from somebody is none.
func (t *Task) check() error {
	if t.Kind == "" || len(t.Kind) > mostKind || len(t.What) > mostWhat {
		return fmt.Errorf("a task of the kind %.80q", t.Kind)
	}
	return nil
}

// NameOf is a name for a queue of tasks: of those who gave it the same, or one that nobody has.
func NameOf(kind, given string) (string, error) {
	if given == "" {
		given = strings.ToLower(rand.Text())
	}
	name := kind + "-" + given
	if !names.MatchString(name) {
		return "", fmt.Errorf("the name %q: expected small letters, digits and dashes", given)
	}
	return name, nil
}

// Ask has a worker do a task, and returns its answer. One that was answered before in a queue of this name is not done
// again.
func (q *Queue) Ask(ctx context.Context, t *Task) ([]byte, error) {
	o := &order{Campaign: q.name, Task: t}
	var err error
	if len(t.Content) > 0 {
		if o.Content, err = q.hub.store(ctx, t.Content); err != nil {
			return nil, err
		}
	}
	key, err := json.Marshal(o)
	if err != nil {
		return nil, fmt.Errorf("writing a task: %w", err)
	}
	sum := sha256.Sum256(key)
	o.Name = q.name + ".task." + hex.EncodeToString(sum[:])
	q.waits.Do(func() {
		waiting, stop := context.WithCancel(ctx)
		q.answeredOnce = stop
		go q.missing(waiting, o)
	})
	text, err := q.ask(ctx, o, q.hub.answers, func([]byte) bool { return true })
	if err != nil {
		return nil, err
	}
	q.answeredOnce()
	var a answered
	if err := json.Unmarshal(text, &a); err != nil {
		return nil, fmt.Errorf("reading an answer from the hub: %w", err)
	}
	if a.Failed != "" {
		return nil, errors.New(t.What + ": " + a.Failed)
	}
	return a.Data, nil
}

// task does an order's task.
func (w *Worker) task(ctx context.Context, o *order, worker campaign.Worker) ([]byte, error) {
	do := w.Tasks[o.Task.Kind]
	if do == nil {
		return nil, fmt.Errorf("this worker knows no tasks of the kind %q; is it of an older version?", o.Task.Kind)
	}
	var content []byte
	var err error
	if o.Content != "" {
		if content, err = w.Hub.load(ctx, o.Content); err != nil {
			return nil, err
		}
	}
	var a answered
	if a.Data, err = do(ctx, worker, o.Task.Data, content); err != nil {
		return nil, err
	}
	return json.Marshal(a)
}
