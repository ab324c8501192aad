package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"runtime/debug"
	"slices"
	"time"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"misstep/campaign"
	"misstep/finding"
	"misstep/triage/issue"
)

// Sarif writes the campaign in the Static Analysis Results Interchange Format, version 2.1.0. A class of
// findings is a result, with its rule's help and a fingerprint that stays the same between campaigns; one that
// is known is a result that is suppressed. Programs that are unfit, and rules which nothing was held against,
// are notifications of the run.
func Sarif(dir string, w io.Writer) campaign.Handler {
	return Whole(dir, func(c *Campaign) error {
		log := sarif.NewReport().AddRun(sarifRun(c))
		if err := log.PrettyWrite(w); err != nil {
			return fmt.Errorf("writing SARIF: %w", err)
		}
		return nil
	})
}

func sarifRun(c *Campaign) *sarif.Run {
	run := sarif.NewRun()
	driver := sarif.NewToolComponent().WithName("misstep").WithVersion(version())
	run.Tool = sarif.NewTool().WithDriver(driver)
	for _, r := range c.sarifRules() {
		rule := run.AddRule(r.Counted()).WithName(r.ID)
		rule.ShortDescription = sarif.NewMultiformatMessageString().WithText(r.Sentence)
		help := r.Sentence
		if r.Help != "" {
			help += "\n\n" + r.Help
		}
		if r.Source != "" {
			help += "\n\nSource: " + r.Source
		}
		rule.Help = sarif.NewMultiformatMessageString().WithText(help)
		rule.Properties = sarif.NewPropertyBag().WithTags([]string{"debugger", r.Oracle})
	}
	for _, x := range c.Classes() {
		run.AddResult(c.sarifResult(run, x))
	}
	done := sarif.NewInvocation().WithExecutionSuccessful(c.Summary != nil)
	done.StartTimeUtc, done.EndTimeUtc = utc(c.Began), utc(c.Last)
	notes := []*sarif.Notification{}
	for _, u := range c.Unfit {
		notes = append(notes, note(sarif.LevelNote, "unfit: "+u.Program+": "+u.Reason))
	}
	for _, u := range c.Unjudged {
		notes = append(notes, note(sarif.LevelNote, "not judged by a recorded run: "+u.Program+": "+u.Reason))
	}
	if c.Summary != nil {
		for _, name := range c.Summary.Unchecked {
			notes = append(notes, note(sarif.LevelWarning, "nothing was held against "+name))
		}
	}
	if c.Summary != nil && c.Summary.Defects > 0 {
		notes = append(notes, note(sarif.LevelError, fmt.Sprintf("%s broke a program: faults of misstep", many(c.Summary.Defects, "transformation", "transformations"))))
	}
	done.ToolExecutionNotifications = notes
	run.Invocations = []*sarif.Invocation{done}
	run.Properties = sarif.NewPropertyBag().Add("engine", c.Start.Engine).Add("seed", fmt.Sprint(c.Start.Seed)).Add("programs", c.Start.Programs)
	return run
}

// sarifRules are those that results name and those that were checked, in the order of the registry; for a rule
// that is gone, one that has its name.
func (c *Campaign) sarifRules() []finding.Rule {
	named := map[string]bool{}
	var gone []finding.Rule
	for _, x := range c.Classes() {
		if _, ok := c.Rules.Lookup(x.Rule.ID); !ok && !named[x.Rule.ID] {
			gone = append(gone, x.Rule)
		}
		named[x.Rule.ID] = true
	}
	var rules []finding.Rule
	for _, r := range c.Rules {
		if named[r.ID] || c.Summary != nil && c.Summary.Tally.Made[r.Counted()] > 0 {
			rules = append(rules, r)
		}
	}
	return append(rules, gone...)
}

func (c *Campaign) sarifResult(run *sarif.Run, x *Class) *sarif.Result {
	f := x.Finding()
	id := x.Rule.Counted()
	r := sarif.NewRuleResult(id).WithRuleIndex(run.GetRuleIndex(id)).WithLevel(level(x.Severity)).WithKind("fail")
	r.Message = sarif.NewTextMessage(x.Reason)
	s := c.place(x)
	at := location(s.File, s.Line, s.Column)
	if f.Place.Func != "" {
		at.LogicalLocations = []*sarif.LogicalLocation{sarif.NewLogicalLocation().WithFullyQualifiedName(f.Place.Func).WithKind("function")}
	}
	r.Locations = []*sarif.Location{at}
	if file := x.ClassCount.Script; file != "" && relative(file) != s.File {
		script := location(relative(file), 1, 0)
		script.Message = sarif.NewTextMessage("a testscript that shows it: misstep replay " + file)
		r.RelatedLocations = []*sarif.Location{script.WithID(1)}
	}
	for i, fn := range x.functions() {
		// The debugger's source is not here; a reader may know it under this name.
		at := location(fn.File, max(1, fn.Line), 0)
		at.PhysicalLocation.ArtifactLocation.WithURIBaseID(debuggerSource)
		at.LogicalLocations = []*sarif.LogicalLocation{sarif.NewLogicalLocation().WithFullyQualifiedName(fn.Name).WithKind("function")}
		at.Message = sarif.NewTextMessage(fmt.Sprintf("%s, number %d of the debugger's functions to look at", fn.Name, i+1))
		r.RelatedLocations = append(r.RelatedLocations, at.WithID(len(r.RelatedLocations)+1))
	}
	sum := sha256.Sum256([]byte(x.Class))
	r.PartialFingerprints = map[string]string{"misstepClass/v1": hex.EncodeToString(sum[:])}
	count := x.Count
	r.OccurrenceCount = &count
	r.Properties = sarif.NewPropertyBag().Add("class", x.Class).Add("severity", string(x.Severity)).Add("program", f.Program).Add("seed", fmt.Sprint(f.Seed)).
		Add("expected", f.Expected.String()).Add("got", f.Got.String())
	if x.Evidence != nil {
		r.Properties.Add("evidence", x.Evidence.String())
	}
	if x.Study != nil && x.Study.Since != "" {
		r.Properties.Add("versions", x.Study.Since)
	}
	if x.Known != "" {
		r.Suppressions = []*sarif.Suppression{sarif.NewSuppression().WithKind("external").WithJustification(x.Known)}
	}
	return r
}

// debuggerSource stands for the folder with the debugger's source.
const debuggerSource = "DEBUGGER"

// functions are those of the debugger to look at.
func (x *Class) functions() []issue.Function {
	if x.Study == nil {
		return nil
	}
	return x.Study.Functions
}

// level is how much SARIF makes of a severity.
func level(s finding.Severity) string {
	switch s {
	case finding.Broken, finding.False:
		return sarif.LevelError
	case finding.Improper:
		return sarif.LevelNote
	}
	return sarif.LevelWarning
}

func location(file string, line, column int) *sarif.Location {
	region := sarif.NewRegion().WithStartLine(line)
	if column > 0 {
		region.WithStartColumn(column)
	}
	uri := (&url.URL{Path: file}).String()
	return sarif.NewLocationWithPhysicalLocation(sarif.NewPhysicalLocation().WithArtifactLocation(sarif.NewSimpleArtifactLocation(uri)).WithRegion(region))
}

func note(level, text string) *sarif.Notification {
	return sarif.NewNotification().WithLevel(level).WithMessage(sarif.NewTextMessage(text))
}

func utc(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := t.UTC().Format(time.RFC3339)
	return &text
}

// version is that of this misstep, as the go command has built it in.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if i := slices.IndexFunc(info.Settings, func(s debug.BuildSetting) bool { return s.Key == "vcs.revision" }); i >= 0 && info.Main.Version == "(devel)" {
		return info.Settings[i].Value
	}
	return info.Main.Version
}
