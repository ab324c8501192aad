// Package view writes a recorded run as one page of HTML, which needs nothing beside
// itself: no server, no network, no other file.
//
// The page shows the history as a tree, activation by activation, branch by branch,
// with what happened to objects; the sources, with the lines that were executed; the
// events of one object; and balloons, operations that did not happen, on the branches
// that decided against them.
//
// # Format
//
// The page is markup, a style sheet, a script, and data in blocks. A block is a script
// element of type application/octet-stream with an id, which holds bytes that are
// compressed by DEFLATE (RFC 1951) and written in base64:
//
//	index     JSON: the program, files, functions, the texts of rows, balloons
//	rows-N    rows N*8192 and following
//	objects   the objects, in the order of their numbers
//	paths     the sets of lines that activations executed
//	file-N    JSON: the text of a file, its statements and how often they were executed
//
// All but the index is decoded when it is looked at. Rows are numbered so that the
// children of a row follow each other, and the descendants of a row come after it: to
// unfold a row, the chunks of its children are enough. A chunk of rows holds their
// columns one after another, as varints; see encode.go.
//
// # Guarantees
//
// Each event of the history that [history.Show] prints is a row, in the same order
// within a goroutine, and so is each balloon whose activation is in the history. Rows
// that are no events are derived by [history.Code.Walk]: that an if was false, and loops
// around their iterations.
//
// No text of a program comes into the markup or the script as it is. The page forbids
// itself every connection, and every script but its own.
//
// # Not covered
//
// Of a history with more events than [Options].Limit the rest is left out, which the
// page says. Without [Options].Code, types of packages that are not recorded are not
// known, and a call that could be at another statement is shown without its place.
// Browsers from before 2024 lack what the page uses.
package view
