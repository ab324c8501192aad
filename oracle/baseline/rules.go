package baseline

import "misstep/finding"

// Oracle is the oracle's name.
const Oracle = "baseline"

// Rules hold between a debugger and its baseline.
var Rules = finding.Registry{{
	ID: Oracle, Oracle: Oracle, Sentence: "A debugger answers as its baseline does.",
	Source: "Lehmann and Pradel, ESEC/FSE 2018, section 3, with another version in the other debugger's place",
	Help: "With --baseline. Each value of each message counts, also the wording of what is refused: a change of a debugger is either meant or " +
		"a fault. Where another oracle says that the baseline is wrong at the same action and the debugger is not, it is counted as mended.",
}}
