package rewrite

import (
	"fmt"
	"strings"
)

// addGoroutines has other goroutines and threads beside those of the program: more goroutines than a debugger lists at once, a main
// that is locked to its thread, or threads that have come and gone. Guards: the program has no goroutines of its own, whose order
// could change, and ends by itself, as a deadlock may not be found any more. What threads there are is not compared.
var addGoroutines = Rewrite{
	Name: "add-goroutines",
	Doc:  "Starts many goroutines that wait, locks the first one to its thread, or has threads end before main: no difference but in the list of threads.",
	Sites: func(s *Given) []Site {
		if s.ExitCode != 0 || s.Source.Program.Test || s.concurrent() || s.declares("make", "close", "bool", "init") || s.breaksFunc("main.init") {
			return nil
		}
		pos := s.Source.Files[len(s.Source.Files)-1].AST.Package // whose init functions are the last ones
		var sites []Site
		for _, kind := range crowds {
			sites = append(sites, Site{pos, func(c *Change) {
				fn, pkg := c.ownFunc(), c.name()
				if strings.Contains(kind, "%[2]s") {
					c.insert(s.Source.FileOf(pos).AST.Name.End(), "; import "+pkg+` "runtime"`)
				}
				c.declare(pos, strings.TrimSpace(fmt.Sprintf(kind, fn, pkg)))
				c.Crowded = true
				c.Outermost = true
			}})
		}
		return sites
	},
}

// crowds are the kinds of goroutines and threads.
var crowds = []string{
	`
func init() {
	for i := 0; i < 1100; i++ {
		go %[1]s()
	}
}

func %[1]s() { select {} }
`, `
func init() { %[1]s() }

func %[1]s() { %[2]s.LockOSThread() }
`, `
func init() {
	for i := 0; i < 30; i++ {
		done := make(chan bool)
		go %[1]s(done)
		<-done
	}
}

// A goroutine that ends while it is locked takes its thread with it.
func %[1]s(done chan bool) {
	%[2]s.LockOSThread()
	close(done)
}
`,
}
