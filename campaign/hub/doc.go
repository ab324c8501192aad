// Package hub carries campaigns out on many machines. A [Hub] is where they meet: a NATS server with JetStream
// (https://docs.nats.io/nats-concepts/jetstream), which [Serve] embeds, or a cluster that is there.
//
// A campaign stays what it is: [campaign.Hunt], on the machine of who asks for it. Its store is the hub's ([Store])
// and its worker a queue ([Queue]), from which workers ([Worker]) take job by job. So all that a campaign consists of
// lies on the hub: whoever submitted it may be gone, and may go on from another machine.
//
//   - A job is a message of a work queue. The program that it is about lies beside the queue, once, by its content.
//   - Who takes a job has a lease on it, which heartbeats prolong. If they stay out, because the worker died or its
//     network did, the job is delivered once more.
//   - An attempt is noted before a job is begun, and taken away when it has ended. A job that is delivered again is
//     done alone, while the worker does nothing else: so a job that ends workers is told from those that were there
//     when it did. After [mostAttempts] such attempts it is set aside, and what was last heard of each is its outcome.
//   - The worker puts the outcome under the job's name, and only then is the job gone from the queue. What is there
//     already stays, so an outcome that comes twice counts once.
//   - Work that is no campaign's, as a test of a suite on a debugger, is a [Task]: it is done as jobs are, and its answer
//     kept for an hour.
//   - One submitter has a campaign, by a lease of its own.
//   - Leases go by the clock of the hub's machine. When that goes back, all of them end.
//
// Guarantees: what the hub has acknowledged is on its disk. No order of deaths, of servers, workers or submitters,
// loses an outcome or counts one twice. The outcomes of a campaign are those of a local one with the same settings,
// as far as the debugger and the program repeat themselves.
//
// Not covered: a hub whose disk is lost, unless it is a cluster that replicates; and workers that lie. Whoever has
// the hub's key may submit programs, which workers then execute.
package hub
