package profiler

import (
	"bytes"
	"io"
	"regexp"
)

// capped keeps so much of what is written to it.
type capped struct{ bytes.Buffer }

const mostPrinted = 16 << 20

func (c *capped) Write(p []byte) (int, error) {
	if room := mostPrinted - c.Len(); room > 0 {
		c.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// ReadFrom hides that of the buffer, which keeps all.
func (c *capped) ReadFrom(r io.Reader) (int64, error) { return io.Copy(struct{ io.Writer }{c}, r) }

// verdict is what a test binary prints at its end: the result, and the share of statements; with Go 1.20 there is one for each of
// several packages.
var verdict = regexp.MustCompile(`(?m)^(?:(?:PASS|FAIL|ok .*)\n)?((?:(?:\s\S*\s+)?coverage: .+\n?)*)\z`)

// ofPackage is the share of a package's statements, and alone that of all.
var (
	ofPackage = regexp.MustCompile(`(?m)^\s(\S*)\s+coverage: (.+?)(?: of statements.*)?$`)
	alone     = regexp.MustCompile(`(?m)^coverage: (.+?)(?: of statements.*)?$`)
)

// told is what the test that calls main says of testing.Coverage.
var told = regexp.MustCompile(`(?m)^?\nmisstep( so far)?: (\S+)\n`)

// took is how long a test took.
var took = regexp.MustCompile(`\(\d+\.\d+s\)`)

// ofTest is what a test binary printed without what differs from run to run or follows from -cover, and the share of
// statements that it says were executed, or, if it says it of several packages, the shares of these.
func ofTest(text string) (rest, share string, shares map[string]string) {
	text = took.ReplaceAllString(text, "(0.00s)")
	m := verdict.FindStringSubmatchIndex(text)
	if m == nil {
		return text, "", nil
	}
	said := text[m[2]:m[3]]
	list := ofPackage.FindAllStringSubmatch(said, -1)
	switch one := alone.FindStringSubmatch(said); {
	case len(list) > 1:
		shares = map[string]string{}
		for _, l := range list {
			shares[l[1]] = l[2]
		}
	case len(list) == 1:
		share = list[0][2]
	case one != nil:
		share = one[1]
	}
	return text[:m[0]], share, shares
}
