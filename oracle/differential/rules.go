package differential

import "misstep/finding"

// Oracle is the oracle's name.
const Oracle = "differential"

// Rules hold between debuggers.
var Rules = finding.Registry{{
	ID: Oracle, Oracle: Oracle, Sentence: "Debuggers show the same.",
	Source: "Lehmann and Pradel, ESEC/FSE 2018, section 3; Park et al., ICSE 2021, for votes",
	Help:   "What is not compared between two versions, toolchains or adapters, and why, is listed in docs/tolerances.md.",
}}
