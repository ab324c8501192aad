package coverage

import (
	"context"
	"fmt"
	"html"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"misstep/finding"
	"misstep/profiler"
)

// The parts of the page that go tool cover writes.
var (
	pageOption = regexp.MustCompile(`<option value="(file\d+)">(.*) \(([\d.]+%)\)</option>`)
	pageFile   = regexp.MustCompile(`(?s)<pre class="file" id="(file\d+)"[^>]*>(.*?)</pre>`)
	pageSpan   = regexp.MustCompile(`<span class="(cov\d+)" title="(\d+)">|</span>`)
)

// coverHTML holds the page of go tool cover -html against the files and the profile: its text is that of the file, each
// statement has the colour of its count, and the share is that of the file's statements.
func (c *Case) coverHTML(ctx context.Context, r *profiler.Run, _ uint64) (made int, all []difference, err error) {
	dir, err := os.MkdirTemp(filepath.Dir(r.File), "page-")
	if err != nil {
		return 0, nil, fmt.Errorf("making a folder: %w", err)
	}
	page := filepath.Join(dir, "page.html")
	if _, err := c.Bench.Tool(ctx, r, "cover", "-html="+r.File, "-o="+page); err != nil {
		return 0, nil, err
	}
	data, err := os.ReadFile(page)
	if err != nil {
		return 0, nil, fmt.Errorf("reading a page: %w", err)
	}
	text := string(data)
	files, blocks := files(r.Subject), counted(r)
	names, shares := map[string]string{}, map[string]string{}
	for _, m := range pageOption.FindAllStringSubmatch(text, -1) {
		names[m[1]], shares[m[1]] = r.Subject.FileOf(html.UnescapeString(m[2])), m[3]
	}
	for _, m := range pageFile.FindAllStringSubmatch(text, -1) {
		f, id := files[names[m[1]]], m[1]
		if f == nil {
			continue
		}
		covered, statements := profiler.Sum(blocks[f.name])
		made++
		if want := share(covered, statements); statements > 0 && shares[id] != want {
			all = append(all, unlikeTool("cover-html", "share", "file "+f.name, want, shares[id]))
		}
		plain, colours, nested := coloured(m[2])
		made++
		if !nested {
			all = append(all, difference{what: "the page of " + f.name, expected: said(finding.Specification, "elements that end after they begin"), got: said("the page", "an end before its beginning"), kind: "cover-html", node: "nesting"})
			continue
		}
		made++
		if source := strings.ReplaceAll(string(f.text), "\t", "        "); plain != source {
			x, y := firstDifference(source, plain)
			all = append(all, difference{what: "the text of " + f.name, expected: said("the file", "%s", x), got: said("the page", "%s", y), kind: "cover-html", node: "text"})
			continue
		}
		shades := map[uint64]colour{}
		for _, s := range f.statements {
			b, ok := blockOf(blocks[f.name], s)
			if !ok {
				continue
			}
			made++
			// Tabs are wider on the page.
			offset := f.at(s.node.Pos()).Offset
			offset += 7 * strings.Count(string(f.text[:offset]), "\t")
			got := colours[offset]
			if got.none() != (b.Count == 0) || got.class == "" {
				d := unlikeTool("cover-html", "colour", "statement "+s.place(f.name), fmt.Sprintf("executed %d times", b.Count), got.String())
				d.place = finding.Place{File: f.name, Line: s.line, Column: s.column, Func: s.fn}
				all = append(all, d)
				continue
			}
			made++
			if got.title != fmt.Sprint(b.Count) {
				d := unlikeTool("cover-html", "count", "statement "+s.place(f.name), fmt.Sprintf("executed %d times", b.Count), got.String())
				d.place = finding.Place{File: f.name, Line: s.line, Column: s.column, Func: s.fn}
				all = append(all, d)
			}
			shades[b.Count] = got
		}
		n, d := shaded(f.name, shades)
		made += n
		all = append(all, d...)
	}
	return made, all, nil
}

// shaded holds the colours of a file's counts against each other: what is executed more often is of no paler one.
func shaded(file string, shades map[uint64]colour) (made int, all []difference) {
	var last uint64
	for _, n := range slices.Sorted(maps.Keys(shades)) {
		if last > 0 {
			made++
			if shades[n].shade() < shades[last].shade() {
				all = append(all, difference{
					what: "the colours of " + file, expected: said("the page", "no paler one than %s, which is executed %d times", shades[last], last), got: said("the page", "%s of what is executed %d times", shades[n], n), kind: "cover-html", node: "shade",
				})
			}
		}
		last = n
	}
	return made, all
}

// A colour is what the page says of a byte of a file.
type colour struct{ class, title string }

func (c colour) none() bool { return c.class == "cov0" }

// shade is how strong the colour is: 0 of what is not executed, to 10.
func (c colour) shade() int {
	n, _ := strconv.Atoi(strings.TrimPrefix(c.class, "cov")) // digits, by pageSpan
	return n
}

// String is the colour's class and title.
func (c colour) String() string {
	if c.class == "" {
		return "no colour"
	}
	return fmt.Sprintf("%s, title %s", c.class, c.title)
}

// coloured is the text of a file's page, the colour of each of its bytes that has one, and whether its elements begin and
// end in order.
func coloured(page string) (string, map[int]colour, bool) {
	var text strings.Builder
	colours := map[int]colour{}
	var open []colour
	add := func(part string) {
		part = html.UnescapeString(part)
		if n := len(open); n > 0 {
			for i := range len(part) {
				colours[text.Len()+i] = open[n-1]
			}
		}
		text.WriteString(part)
	}
	at := 0
	for _, m := range pageSpan.FindAllStringSubmatchIndex(page, -1) {
		add(page[at:m[0]])
		at = m[1]
		switch {
		case m[2] >= 0:
			open = append(open, colour{page[m[2]:m[3]], page[m[4]:m[5]]})
		case len(open) > 0:
			open = open[:len(open)-1]
		default:
			return "", nil, false
		}
	}
	add(page[at:])
	return text.String(), colours, len(open) == 0
}
