// Package report turns a campaign's stream of events into what people and
// programs read. Each form is a handler of the stream, so that a saved stream
// can be rendered again.
package report
