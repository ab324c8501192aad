// Package baseline holds a session with a debugger against the same session with another version of it, such as the release
// before a change: regression testing, message by message.
//
// Algorithm. The actions of a session are carried out with the baseline. What both adapters said is put into one order: the
// answer to the first request, to the second and so on, and the events of each type. Each value in their JSON is held against
// its counterpart. Where one differs, both sessions are carried out again, as often as [Test.Times] says, and the difference is
// believed if each side has said each time what it said first: whatever depends on time or chance drops out by that, without a list of them.
//
// Guarantees. A [Difference] is one of the debuggers, seen each time. What depends on chance with two outcomes of the same
// probability passes with one in two to the power of twice Times less one.
//
// A difference in speed may look like one of this kind in a program with goroutines. So it is not compared which of them comes first, and
// what follows from that, nor the list of them.
//
// Not covered. Once the sessions have gone apart, as a pause is somewhere else or a stack is another one, or something was asked for
// while the program ran, which comes when time has it, what follows is not compared; nor are addresses, the numbers that an adapter gives to its messages and a system to processes and threads, in which
// order answers and events come, how the program's output is cut into events, and events after the request to leave. Whether a difference is a fault of the one, of the other, or meant, other oracles say, or a
// person.
package baseline
