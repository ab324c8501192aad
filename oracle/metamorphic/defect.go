package metamorphic

import (
	"fmt"

	"misstep/internal/gobuild"
	"misstep/transform"
)

// A Defect is a rewrite that broke a program: a fault of misstep.
type Defect struct {
	Rewrite string           `json:"rewrite"`
	Params  transform.Params `json:"params"`
	Program string           `json:"program"`
	// Unsound says that the result compiles and does something else; otherwise
	// it does not compile.
	Unsound bool   `json:"unsound"`
	Text    string `json:"text"`
	// Original and Variant are the files of the two programs; none if they are too large.
	Original []gobuild.File `json:"original,omitempty"`
	Variant  []gobuild.File `json:"variant,omitempty"`
}

func (d *Defect) Error() string {
	what := "does not compile"
	if d.Unsound {
		what = "does something else"
	}
	return fmt.Sprintf("a fault of misstep: %s (%s) of %s %s: %s", d.Rewrite, d.Params, d.Program, what, d.Text)
}

// with is the defect with its programs.
func (d *Defect) with(original, variant *gobuild.Program) *Defect {
	// What is too large to be packed is named, at least.
	d.Original, _, _ = gobuild.Pack(original)
	d.Variant, _, _ = gobuild.Pack(variant)
	return d
}
