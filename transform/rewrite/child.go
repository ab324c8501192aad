package rewrite

import (
	"fmt"
	"regexp"
	"strings"

	"misstep/transform"
)

// mainInChild has main start the program once more, as a process of its own that does the work, and wait for it. A debugger that
// follows what the program executes shows the same. Guards: nothing of the program's own runs before main, or it would do so twice;
// it is one package, starts no processes and does not look at its environment.
var mainInChild = Rewrite{
	Name: "main-in-child",
	Doc:  "Runs the body of main in a process that the program starts, and has the debugger follow it: down to main, no difference but in the list of threads.",
	Sites: func(s *Given) []Site {
		fn := s.mainFunc()
		if fn == nil || s.Source.Pkg.Name() != "main" || s.Source.Early() || s.Source.Beyond() || s.declares("panic", "nil", "append", "len", "init") ||
			s.Source.Imports("os/exec", "os/signal", "syscall") || s.stepsInto(fn) {
			return nil
		}
		for _, f := range s.Source.Files {
			if strings.Contains(strings.ToLower(string(f.Text)), "env") {
				return nil
			}
		}
		return []Site{{fn.Pos(), func(c *Change) {
			name := c.ownFunc()
			body := name + "body"
			c.replace(fn.Name, body)
			c.insert(s.Source.FileOf(fn.Pos()).AST.Name.End(), "; import "+name+`os "os"`)
			c.declare(fn.Pos(), fmt.Sprintf(parentText, name, body))
			c.Funcs = append(c.Funcs, transform.FuncName{In: s.lines(fn), Old: "main.main", From: regexp.MustCompile(`main\.` + body)})
			c.Bottom = "main.main"
			c.Outermost, c.Crowded, c.Child = true, true, true
		}}}
	},
}

// parentText is a main that calls a function in a child of its own.
const parentText = `func main() {
	if %[1]sos.Getenv("MISSTEP_CHILD") != "" {
		%[2]s()
		return
	}
	%[1]s()
}

func %[1]s() {
	p, err := %[1]sos.StartProcess("/proc/self/exe", %[1]sos.Args, &%[1]sos.ProcAttr{
		Env:   append(%[1]sos.Environ(), "MISSTEP_CHILD=1"),
		Files: []*%[1]sos.File{%[1]sos.Stdin, %[1]sos.Stdout, %[1]sos.Stderr},
	})
	if err != nil {
		panic(err)
	}
	state, err := p.Wait()
	if err != nil {
		panic(err)
	}
	%[1]sos.Exit(state.ExitCode())
}`
