package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"misstep/triage/reduce"
)

// The exit codes, everywhere.
const (
	exitClean    = 0 // nothing was found
	exitError    = 1 // misstep could not do its work
	exitUsage    = 2 // it was asked for something that makes no sense
	exitFindings = 3 // something was found
)

// errFindings says that the command did its work and found something.
var errFindings = errors.New("there are findings")

// reproduces is what a command ends with that works on a finding: one that does not
// show any more is said to be so, with the exit code of findings, as the file is not
// what it says.
func reproduces(file string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, reduce.ErrNotReproduced) {
		return &unreproduced{file}
	}
	return fmt.Errorf("%s: %w", file, err)
}

type unreproduced struct{ file string }

func (u *unreproduced) Error() string {
	return u.file + " does not reproduce: the debugger behaves as the script says"
}

// usageError is an error in what the user asked for.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// asUsage makes a usage error of an error that has a type in it which says that an option
// makes no sense.
func asUsage[T error](err error) error {
	var option T
	if errors.As(err, &option) {
		return &usageError{option}
	}
	return err
}

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// exitCode turns a command's error into the exit code, and prints it in one
// line.
func exitCode(err error, stderr io.Writer) int {
	var usage *usageError
	var gone *unreproduced
	switch {
	case err == nil:
		return exitClean
	case errors.Is(err, errFindings):
		return exitFindings
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "misstep: interrupted")
		return exitError
	case errors.As(err, &gone):
		fmt.Fprintln(stderr, "misstep:", err)
		return exitFindings
	case errors.As(err, &usage):
		fmt.Fprintln(stderr, "misstep:", err)
		return exitUsage
	}
	fmt.Fprintln(stderr, "misstep:", err)
	return exitError
}
