// Package testscripts runs debugging sessions that are written down as scripts as Go
// tests: a txtar archive whose comment is a list of commands and whose files are the
// program. A script says how a debugger should behave; a finding of misstep is such a
// script, too. Package script has the language, and any project's own test runs a folder
// of scripts with one call:
//
//	func TestDebugger(t *testing.T) {
//		testscripts.Run(t, "testdata/*.txtar")
//	}
//
// The suite lies in testscripts/suite.
package testscripts
