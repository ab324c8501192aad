package differential

import "misstep/dap"

// Between is what of two sides' outputs is not compared, as it differs without any
// of them being wrong.
func Between(a, b *Side) dap.Lens {
	lens := dap.Lens{NoWording: true}
	if a.Engine.Go != b.Engine.Go || a.Engine.GCFlags != b.Engine.GCFlags {
		// Tolerance toolchain: instructions, the runtime and what it shows of goroutines
		// follow from the compiler.
		lens.NoPlace, lens.NoOthers, lens.NoThreads = true, true, true
	}
	if a.Engine.Adapter != b.Engine.Adapter {
		// Tolerance adapter: how reasons are named, which instruction of a line is chosen,
		// how goroutines are described, and what lies below main.
		lens.NoPlace, lens.NoOthers, lens.NoThreads, lens.NoReason = true, true, true, true
		lens.NoVars = a.Adapter.NoVariables || b.Adapter.NoVariables
	}
	if a.Adapter.Terminal != b.Adapter.Terminal {
		lens.NoOutput = true // a terminal has one stream for both
	}
	for _, s := range []*Side{a, b} {
		if s.Engine.Adapter == dap.Recorded {
			// Its variables have another form; rule R3 compares them. It prints nothing, and
			// does not know with which types a generic function was called.
			lens.NoVars, lens.NoOutput, lens.NoTypeArgs = true, true, true
		}
	}
	return lens
}
