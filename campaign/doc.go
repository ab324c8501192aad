// Package campaign is the hunt: many programs, many seeds, one engine.
//
// A campaign is a fixed sequence of runs, which follows from its [Config]: the
// programs in turn, round after round, each run with a seed of its own. Workers
// take runs from the front; each finished run is one transaction of the
// campaign's database (SQLite, in the out folder) together with all that it
// found. So a campaign that was killed continues with the same command, does
// no finished run again and loses no finding, and two campaigns with the same
// seed and number of runs find the same.
//
// What happens is a stream of [Event]; everything that people see is a handler
// of it.
package campaign
