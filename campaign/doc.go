// Package campaign is the hunt: many programs, many seeds, one engine.
//
// A campaign is a fixed sequence of runs, which follows from its [Config]: the
// programs in turn, round after round, each run with a seed of its own. A run is a
// [Job], which holds its program as content and all else by name, and what a
// [Worker] makes of it is an [Outcome]: it follows from the job, whatever others
// find. Making an example of a class small is a job, too.
//
// A [Store] keeps outcomes and events (here SQLite, in the out folder; package hub has one that many machines
// share, and a worker that stands for theirs). So a
// campaign that was killed continues with the same command, does no finished run
// again and loses no finding, and two campaigns with the same seed and number of
// runs find the same. What a run had found when it was cut off is kept until the run
// is done again.
//
// What happens is a stream of [Event]; everything that people see is a handler
// of it.
package campaign
