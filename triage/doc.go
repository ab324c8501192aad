// Package triage turns findings into what a person works with: [Class] puts
// those that look like one cause together, and [Script] writes one as a
// testscript that go test runs, misstep replay runs, and a person reads.
package triage
