// Package testscripts runs debugging sessions that are written down as
// scripts: a txtar archive whose comment is a list of commands and whose files
// are the program. A script says how a debugger should behave; a finding of
// misstep is such a script, too. [Commands] lists the commands, and any
// project's own test runs a folder of scripts with one call:
//
//	func TestDebugger(t *testing.T) {
//		testscripts.Run(t, "testdata/*.txtar")
//	}
//
// The language is that of github.com/rogpeppe/go-internal/testscript, with its
// own commands beside these. The suite lies in testscripts/suite.
package testscripts
