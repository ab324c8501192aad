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

// addChild has the program start others in the middle of a line, and wait for them. They are none of Go's, so that a debugger which
// follows what the program executes has nothing to show of them, and lets them go. Guards: as in add-signal; the program starts no
// processes itself.
var addChild = Rewrite{
	Name: "add-child",
	Doc:  "Has the program start others before a statement and wait for them, whether the debugger follows what it executes or not: no difference but in the list of threads.",
	Sites: func(s *Given) []Site {
		if s.assigns() || s.calls() || s.declares("string", "nil", "append", "len") || s.Source.Imports("os/exec", "os/signal", "syscall") {
			return nil
		}
		var sites []Site
		for _, sl := range s.oneLiners() {
			sites = append(sites, Site{sl.stmt.Pos(), func(c *Change) {
				fn, os := c.ownFunc(), c.name()
				c.insert(sl.stmt.Pos(), fn+"(); ")
				c.insert(s.Source.FileOf(sl.stmt.Pos()).AST.Name.End(), "; import "+os+` "os"`)
				c.declare(sl.stmt.Pos(), strings.NewReplacer("start", fn, "os.", os+".", "OTHERS", transform.Pick(c.R, others)).Replace(childText))
				c.Crowded, c.Child = true, c.R.IntN(3) > 0
			}})
		}
		return sites
	},
}

// others are command lines of programs that end by themselves in some way, and that are started at once.
var others = []string{
	`{"/bin/true"}`, `{"/bin/false"}`, `{"/bin/sh", "-c", "exit 3"}`, `{"/bin/sh", "-c", "kill -9 $$"}`, `{"/bin/sh", "-c", "exec /bin/true"}`,
	`{"/bin/true"}, {"/bin/true"}`, `{"/bin/sh", "-c", "/bin/true; /bin/true"}, {"/bin/true"}`, `{"/misstep/nowhere"}`,
}

const childText = `func start() {
	var all []*os.Process
	for _, args := range [][]string{OTHERS} {
		if p, err := os.StartProcess(args[0], args, &os.ProcAttr{}); err == nil {
			all = append(all, p)
		}
	}
	for _, p := range all {
		p.Wait()
	}
}`
