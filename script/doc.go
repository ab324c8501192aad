// Package script has debugging sessions as typed scripts: a finding, or an expectation.
//
// A [Script] is read by [Parse], written by its Format, and carried out by an [Env]. It
// holds the program as files, and commands: actions, as dap's table has them, what is
// expected on the way, and at the end, as a rule, a command that judges by the rules of an
// oracle. All commands are in one table, [Verbs].
//
// A script that judges at its end demands what that command demands. What happened on the
// way there is asked for leniently: an action that is refused now and was granted then, or
// the other way round, is not what the script is about. What cannot be carried out up to
// there proves nothing, and is told as such. A command of the reference model may name another
// that judges where no run can be recorded.
//
// On disk a script is a txtar archive, whose comment holds the commands, one a line. Words
// are quoted as in testscript.
package script
