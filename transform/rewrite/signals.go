package rewrite

import (
	"fmt"

	"misstep/transform"
)

// ignored are the signals that a Go program takes no notice of unless it asks for them (os/signal, Default behavior of signals in
// Go programs), those apart that stop a process or that the runtime uses for itself.
var ignored = []string{"SIGURG", "SIGWINCH", "SIGCHLD", "SIGCONT", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGIO"}

// addSignal has the program get a signal in the middle of a line: one that it does not heed, or that of a fault, which it recovers
// from. A debugger hears of each first, and has to pass it on, whatever step it is in. Guards: the program asks for no signals; the
// statement has code on its one line, as what is put before it has.
var addSignal = Rewrite{
	Name: "add-signal",
	Doc:  "Has the program send itself a signal that it does not heed, or recover from a fault, before a statement: no difference.",
	Sites: func(s *Given) []Site {
		if s.assigns() || s.calls() || s.declares("recover", "int") || s.Source.Imports("os/signal") {
			return nil
		}
		var sites []Site
		for _, sl := range s.oneLiners() {
			sites = append(sites, Site{sl.stmt.Pos(), func(c *Change) {
				fn := c.ownFunc()
				c.insert(sl.stmt.Pos(), fn+"(); ")
				if c.R.IntN(4) == 0 {
					c.Faults = true
					c.declare(sl.stmt.Pos(), fmt.Sprintf("func %s() {\n\tdefer func() { recover() }()\n\tvar p *int\n\t*p = 1\n}", fn))
					return
				}
				pkg := c.name()
				c.insert(s.Source.FileOf(sl.stmt.Pos()).AST.Name.End(), "; import "+pkg+` "syscall"`)
				signal := pkg + "." + transform.Pick(c.R, ignored)
				send := fmt.Sprintf("%s.Kill(%[1]s.Getpid(), %s)", pkg, signal)
				if c.R.IntN(2) == 0 {
					// To this very thread, if the goroutine stays on it.
					send = fmt.Sprintf("%s.RawSyscall(%[1]s.SYS_TGKILL, uintptr(%[1]s.Getpid()), uintptr(%[1]s.Gettid()), uintptr(%s))", pkg, signal)
				}
				c.declare(sl.stmt.Pos(), fmt.Sprintf("func %s() {\n\t%s\n}", fn, send))
			}})
		}
		return sites
	},
}
