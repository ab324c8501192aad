package protocol

import (
	"regexp"
	"strconv"
	"strings"

	godap "github.com/google/go-dap"

	"misstep/dap"
)

// goroutineName is how Delve names a thread of the list: the selected one has a mark, and the function is the innermost one that is none
// of the runtime's own.
var goroutineName = regexp.MustCompile(`^(\* )?\[Go (\d+)\] (.+?)(?: \(Thread \d+\))?$`)

// ownRuntime are functions of the runtime's that no program calls by name.
var ownRuntime = regexp.MustCompile(`^runtime\.(?:\(\*)?[a-z]`)

// libraryOwn is where the files of packages lie that the standard library has for itself, and ofRuntime where those of the runtime do: what a goroutine does
// there is done for who calls.
var libraryOwn, ofRuntime = regexp.MustCompile(`[/\\]src[/\\](?:internal|iter)[/\\]`), regexp.MustCompile(`[/\\]src[/\\]runtime[/\\]`)

// listed judges the list of threads: the one that has paused is in it, each has a number of its own, and where names say which goroutine
// a thread is and which of them is selected, they say so truly.
func (c *checker) listed(threads []godap.Thread, settled bool) {
	ids, marks := map[int]bool{}, 0
	for _, t := range threads {
		c.check("threads", !ids[t.Id], "two threads of the list have the number %d", t.Id)
		ids[t.Id], c.known[t.Id] = true, true
		m := goroutineName.FindStringSubmatch(t.Name)
		if m == nil {
			continue
		}
		n, _ := strconv.Atoi(m[2])
		c.check("threads", n == t.Id, "thread %d is named %q", t.Id, t.Name)
		if !settled {
			continue
		}
		c.functions[t.Id] = m[3]
		if m[1] != "" {
			marks++
			c.check("threads", t.Id == c.stoppedAt || c.stirred || c.switched, "thread %d is marked as the selected one, and thread %d has paused", t.Id, c.stoppedAt)
		}
	}
	if !settled {
		return
	}
	if c.functions[c.stoppedAt] != "" {
		c.check("threads", marks == 1 || c.switched, "%d threads are marked as the selected one", marks)
	}
	if c.stoppedAt == 0 {
		c.on += "/none" // where no thread is, whose list is short may be another fault
	}
	if c.filtered {
		return // the list has what was asked for (tolerance filtered-threads)
	}
	c.check("thread", ids[c.stoppedAt], "the program stopped in thread %d, which is not among the threads", c.stoppedAt)
}

// stackOf judges a stack by what else was said of its thread at this pause: the function that it is named by, that it is paused at all, and
// how many frames there are.
func (c *checker) stackOf(thread, start int, frames []godap.StackFrame, total int) {
	if len(frames) == 0 || !c.paused {
		return
	}
	if thread != c.stoppedAt {
		c.check("all-stopped", c.allStopped, "thread %d shows a stack, and the stopped event for thread %d does not say that all threads stopped", thread, c.stoppedAt)
	}
	if thread <= 0 {
		return // of which what is read below its beginning is not its own (tolerance below-threads)
	}
	end := start + len(frames)
	// A total may grow with each page, which has clients ask for the next; one that is reached says that there are no more.
	if before, ok := c.totals[thread]; total > 0 && total <= end && (!ok || total < before) {
		c.totals[thread] = total
	}
	c.ends[thread] = max(c.ends[thread], end)
	if all, ok := c.totals[thread]; ok {
		c.check("frames", all >= c.ends[thread], "totalFrames of thread %d was %d, with the last of them, and it has %d frames", thread, all, c.ends[thread])
	}
	named := c.functions[thread]
	if start > 0 || named == "" {
		return
	}
	for _, f := range frames {
		file := ""
		if f.Source != nil {
			file = f.Source.Path
		}
		switch {
		case ownRuntime.MatchString(f.Name), f.Name == "???", libraryOwn.MatchString(file):
			continue
		case ofRuntime.MatchString(file) && !strings.HasPrefix(f.Name, "runtime."):
			return // it goes by the name of another package, of which the last part is shown: sync, or internal/sync
		}
		// Those that the runtime offers are called by programs, or by itself.
		if !strings.HasPrefix(f.Name, "runtime.") && !strings.HasPrefix(named, "runtime.") {
			c.check("threads", bare(f.Name) == bare(named), "thread %d is listed in %s; its first frame that is neither the runtime's nor internal is %s", thread, named, f.Name)
		}
		return
	}
}

// bare is a function's name as frames and lists both have it: without type arguments and the path of its package.
func bare(name string) string {
	name = dap.BareFunc(name)
	return name[strings.LastIndex(name, "/")+1:]
}
