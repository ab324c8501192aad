package report

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"

	"misstep/campaign"
	"misstep/finding"
)

//go:embed page
var pageFiles embed.FS

// HTML writes the campaign as one page that needs nothing beside itself: no server, no network, no other file.
// What earlier campaigns found is held against it: which classes are new, which are gone. No text of a program
// or of a debugger comes into the page but as text, and the page forbids itself every connection and every
// script but its own.
func HTML(dir string, w io.Writer, earlier ...*Campaign) campaign.Handler {
	return Whole(dir, func(c *Campaign) error { return c.page(w, false, earlier) })
}

// Live is the page of a campaign that is served: as long as the campaign goes on, it asks where it came from for what is
// new.
func Live(w io.Writer, earlier ...*Campaign) campaign.Handler {
	return Whole("", func(c *Campaign) error { return c.page(w, c.Summary == nil || !c.Summary.Complete, earlier) })
}

// page writes the campaign's page.
func (c *Campaign) page(w io.Writer, live bool, earlier []*Campaign) error {
	script, err := pageFiles.ReadFile("page/page.js")
	if err != nil {
		return fmt.Errorf("the page's script: %w", err)
	}
	style, err := pageFiles.ReadFile("page/page.css")
	if err != nil {
		return fmt.Errorf("the page's style: %w", err)
	}
	markup, err := template.New("page.html").Funcs(funcs).ParseFS(pageFiles, "page/page.html")
	if err != nil {
		return fmt.Errorf("the page's markup: %w", err)
	}
	// The browser reads line ends as \n when it checks the sum.
	script = bytes.ReplaceAll(script, []byte("\r\n"), []byte("\n"))
	sum := sha256.Sum256(script)
	connect := ""
	if live {
		connect = "; connect-src 'self'"
	}
	campaigns := over(append(slices.Clone(earlier), c))
	err = markup.Execute(w, map[string]any{
		"Policy": "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'" + connect,
		"Live":   live,
		"Style":  template.CSS(style),
		"Script": template.JS(script),
		"C":      c,
		"Curve":  c.curve(),
		"Over":   campaigns,
		"Trend":  trend(campaigns),
	})
	if err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

var funcs = template.FuncMap{
	"slug":  slug,
	"when":  func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") },
	"round": func(d time.Duration) string { return d.Round(100 * time.Millisecond).String() },
	"many":  many,
	"head":  func(list []Found) []Found { return list[:min(len(list), mostListed)] },
	"left":  func(x *Class) int { return max(0, x.Count-min(len(x.Findings), mostListed)) },
	"files": (*Class).files,
	"share": func(a *finding.Account) string {
		if a == nil || a.Total() == 0 {
			return ""
		}
		return fmt.Sprintf("%.1f %%", 100*float64(a.Judged)/float64(a.Total()))
	},
	"kinds": func() []string { return finding.Kinds },
}

// mostListed bounds the findings of a class that the page lists.
const mostListed = 50

// slug is a class as the name of an anchor that can be sent, the same in all campaigns.
func slug(class string) string {
	h := fnv.New32a()
	h.Write([]byte(class))
	return fmt.Sprintf("c%08x", h.Sum32())
}

// A sourceFile is a file of a script's program, as far as the page shows it.
type sourceFile struct {
	Name string
	Rows []row
}

// A row is a line of a file; one whose number is 0 stands for lines that are left out.
type row struct {
	Number int
	Text   string
	// Breakpoint says that the session sets one there, Shown that the class is about it.
	Breakpoint, Shown bool
}

// around is how many lines a file that is long shows before and after those that the session names, and
// mostWhole what is not long.
const around, mostWhole = 8, 120

// files are the Go files of the script's program.
func (x *Class) files() []sourceFile {
	if x.Script == nil {
		return nil
	}
	shown := x.shown()
	marked := map[string]map[int]bool{}
	for _, c := range x.Script.Commands {
		if c.Action.Line > 0 && c.Action.Kind.Places() {
			if marked[c.Action.File] == nil {
				marked[c.Action.File] = map[int]bool{}
			}
			marked[c.Action.File][c.Action.Line] = true
		}
	}
	var list []sourceFile
	for _, f := range x.Script.Files {
		if !strings.HasSuffix(f.Name, ".go") {
			continue
		}
		lines := strings.Split(strings.TrimSuffix(string(f.Data), "\n"), "\n")
		near := func(n int) bool {
			for m := range marked[f.Name] {
				if n >= m-around && n <= m+around {
					return true
				}
			}
			return f.Name == shown.File && n >= shown.Line-around && n <= shown.Line+around
		}
		file := sourceFile{Name: f.Name}
		for i, text := range lines {
			n := i + 1
			if len(lines) > mostWhole && !near(n) {
				if k := len(file.Rows); k == 0 || file.Rows[k-1].Number != 0 {
					file.Rows = append(file.Rows, row{})
				}
				continue
			}
			file.Rows = append(file.Rows, row{n, text, marked[f.Name][n], f.Name == shown.File && n == shown.Line})
		}
		list = append(list, file)
	}
	return list
}

// A curve is how many classes were known of at a time, or causes in campaigns, as the points of a line in a box of 600 by 100.
type curve struct {
	Points string
	Most   int // at its highest point
	Took   time.Duration
}

// curve is nil if there is too little for a line.
func (c *Campaign) curve() *curve {
	var firsts []time.Time
	for _, x := range c.Classes() {
		if !x.First.IsZero() {
			firsts = append(firsts, x.First)
		}
	}
	slices.SortFunc(firsts, time.Time.Compare)
	whole := c.Last.Sub(c.Began)
	if len(firsts) < 2 || whole <= 0 {
		return nil
	}
	var b strings.Builder
	b.WriteString("0,100")
	for i, t := range firsts {
		x := 600 * float64(t.Sub(c.Began)) / float64(whole)
		fmt.Fprintf(&b, " %.1f,%.1f %.1f,%.1f", x, 100-100*float64(i)/float64(len(firsts)), x, 100-100*float64(i+1)/float64(len(firsts)))
	}
	b.WriteString(" 600,0")
	return &curve{b.String(), len(firsts), whole}
}

// A compared is a campaign beside the one before it.
type compared struct {
	*Campaign
	Classes []string
	// Came are classes that the campaign before did not have, Gone those that only it had.
	Came, Gone []string
	This       bool // it is the page's own
}

// over holds campaigns against each other, the oldest first; nil if there is only one.
func over(all []*Campaign) []compared {
	if len(all) < 2 {
		return nil
	}
	this := all[len(all)-1]
	slices.SortStableFunc(all, func(a, b *Campaign) int { return cmp.Compare(a.Began.UnixNano(), b.Began.UnixNano()) })
	var list []compared
	var before []string
	for i, c := range all {
		x := compared{Campaign: c, This: c == this}
		for _, class := range c.New() {
			x.Classes = append(x.Classes, class.Class)
		}
		slices.Sort(x.Classes)
		if i > 0 {
			x.Came = slices.DeleteFunc(slices.Clone(x.Classes), func(s string) bool { return slices.Contains(before, s) })
			x.Gone = slices.DeleteFunc(slices.Clone(before), func(s string) bool { return slices.Contains(x.Classes, s) })
		}
		before = x.Classes
		list = append(list, x)
	}
	return list
}

// trend is how many causes that are not known each campaign has, over the time at which they began, as the points of a line in a box
// of 600 by 100; nil if there are too few for a line.
func trend(all []compared) *curve {
	if len(all) < 2 {
		return nil
	}
	most := 1
	for _, c := range all {
		most = max(most, c.NewCauses())
	}
	first, last := all[0].Began, all[len(all)-1].Began
	t := &curve{Most: most, Took: last.Sub(first)}
	if t.Took <= 0 {
		return nil
	}
	var b strings.Builder
	for _, c := range all {
		x := 600 * float64(c.Began.Sub(first)) / float64(t.Took)
		fmt.Fprintf(&b, "%.1f,%.1f ", x, 100-100*float64(c.NewCauses())/float64(most))
	}
	t.Points = strings.TrimSpace(b.String())
	return t
}
