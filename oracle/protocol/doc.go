// Package protocol reads what went over the wire in a session and holds it against the
// invariants of the Debug Adapter Protocol, [Rules]: one response for each request, events
// in order, threads and frames that exist, references that live as long as they are
// promised to, capabilities that are true, an adapter that answers and lives.
//
// Start from [Check]. Each check is counted under its rule. What a message says about the
// program, rather than about the session, is not judged here.
package protocol
