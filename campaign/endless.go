package campaign

import (
	"slices"

	"misstep/transform"
	"misstep/transform/rewrite"
)

// endless reports whether the run's program does not end by itself, as one of a server.
func (w *worker) endless() bool { return w.p.tested != nil && w.p.tested.Build.Program.Endless > 0 }

// unended makes the run one of a program that does not end by itself. Its sessions are those of other runs that need neither a recorded run nor
// the program's end: each is left at some moment, and where nothing pauses the program it is asked to pause. What they show is judged by itself,
// and transformed as far as nothing was asked to pause; nothing is held against the baseline message by message, as where such a program is when
// it is asked depends on time.
func (w *worker) unended() {
	w.begin(due[w.job.Run.Turn%len(due)])
	w.rewrites = slices.DeleteFunc(w.rewrites, func(t rewrite.Rewrite) bool { return t.NeedsRun })
}

// othersFirst reports whether the sessions that ask for much come before the transformations. Of a program with which a run takes long, time may be
// up in the middle: one run of four has the transformations first, and the others what comes through more requests in the same time. Of one that
// does not end two of three have them first, as these begin with what such a program is debugged for.
func (w *worker) othersFirst() bool {
	if w.endless() {
		return w.job.Run.Turn%len(due) == len(due)-1
	}
	return w.job.Run.Turn%4 != 2
}

// due are the transformations of actions that a run of such a program begins with, in turn: programs that run on are what debuggers are attached
// to, and asked for something while they run.
var due = []string{"attach", "ask-wrongly", "while-running"}

// begin has a transformation of actions be the first that is made, if it is one of the run's.
func (w *worker) begin(name string) {
	i := slices.IndexFunc(w.actions, func(t transform.Transformation) bool { return t.Name == name })
	if i < 0 {
		return
	}
	w.actions = slices.Insert(slices.Delete(slices.Clone(w.actions), i, i+1), 0, w.actions[i])
	if turns := w.job.Run.Turns; i < len(turns) {
		w.turns = slices.Insert(slices.Delete(slices.Clone(turns), i, i+1), 0, turns[i])
	}
}
