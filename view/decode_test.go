package view_test

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"testing"

	"misstep/view"
)

// page is a page as its script reads it.
type page struct {
	blocks map[string][]byte
	index  struct {
		Program  string
		Notes    []string
		Events   int64
		Rows     int
		Roots    int
		Object   int
		Objects  int
		Types    []string
		Files    []string
		Funcs    [][]any
		Whats    [][8]int
		Texts    []string
		Badges   []int
		Balloons []struct {
			Text  []string
			Calls []int
			Rows  []int
		}
	}
	rows  []pageRow
	names []string // of objects
	lines [][]int
}

type pageRow struct {
	what, size, parent, first, time, end, object, aux int64
}

// The kinds of rows.
const (
	goroutine = iota
	call
	mark
	lapse
	loop
	object
	branch
	balloon
)

var blockPattern = regexp.MustCompile(`<script type="application/octet-stream" id="([^"]+)">([^<]*)</script>\n`)

// write writes a page and reads it again.
func write(t testing.TB, r recorded, o view.Options) *page {
	t.Helper()
	var html bytes.Buffer
	if err := view.Write(&html, r.reader(t), o); err != nil {
		t.Fatal(err)
	}
	return decode(t, html.Bytes())
}

func decode(t testing.TB, html []byte) *page {
	t.Helper()
	p := &page{blocks: map[string][]byte{}}
	for _, m := range blockPattern.FindAllSubmatch(html, -1) {
		packed, err := base64.StdEncoding.DecodeString(string(m[2]))
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
		if err != nil {
			t.Fatalf("%s: %v", m[1], err)
		}
		p.blocks[string(m[1])] = data
	}
	if err := json.Unmarshal(p.blocks["index"], &p.index); err != nil {
		t.Fatal(err)
	}
	for n := 0; ; n++ {
		data, ok := p.blocks[fmt.Sprintf("rows-%d", n)]
		if !ok {
			break
		}
		p.rows = append(p.rows, decodeRows(data)...)
	}
	if len(p.rows) != p.index.Rows {
		t.Fatalf("%d rows, the index says %d", len(p.rows), p.index.Rows)
	}
	v := &varints{data: p.blocks["objects"]}
	counts := map[int64]int{}
	for len(v.data) > 0 {
		typ := v.unsigned()
		counts[typ]++
		p.names = append(p.names, fmt.Sprintf("<%s:%d>", p.index.Types[typ], counts[typ]))
		for range 4 {
			v.unsigned()
		}
	}
	v = &varints{data: p.blocks["paths"]}
	for len(v.data) > 0 {
		var list []int
		line := 0
		for range v.unsigned() {
			line += int(v.unsigned())
			list = append(list, line)
		}
		p.lines = append(p.lines, list)
	}
	return p
}

type varints struct{ data []byte }

func (v *varints) unsigned() int64 {
	x, n := binary.Uvarint(v.data)
	v.data = v.data[n:]
	return int64(x)
}

func (v *varints) signed() int64 {
	x, n := binary.Varint(v.data)
	v.data = v.data[n:]
	return x
}

func decodeRows(data []byte) []pageRow {
	v := &varints{data}
	rows := make([]pageRow, v.unsigned())
	for i := range rows {
		rows[i].what = v.unsigned()
	}
	for i := range rows {
		rows[i].size = v.unsigned()
	}
	last := int64(0)
	for i := range rows {
		last += v.signed()
		rows[i].parent = last
	}
	behind := int64(0)
	for i := range rows {
		if rows[i].size > 0 {
			rows[i].first = behind + v.signed()
			behind = rows[i].first + rows[i].size
		}
	}
	last = 0
	for i := range rows {
		last += v.signed()
		rows[i].time = last
	}
	for i := range rows {
		rows[i].end = -1
		if n := v.signed(); n != 0 {
			rows[i].end = rows[i].time + n
		}
	}
	last = 0
	for i := range rows {
		last += v.signed()
		rows[i].object = last
	}
	same := map[int64]int64{}
	for i := range rows {
		rows[i].aux = same[rows[i].what] + v.signed()
		same[rows[i].what] = rows[i].aux
	}
	return rows
}

func (p *page) kind(row int) int { return p.index.Whats[p.rows[row].what][0] }

// says is what a row says, how that came out, and where.
func (p *page) says(row int) (text, outcome, place string) {
	w := p.index.Whats[p.rows[row].what]
	if w[3] > 0 {
		place = fmt.Sprintf("%s:%d", p.index.Files[w[2]], w[3])
	}
	return p.index.Texts[w[5]], p.index.Texts[w[6]], place
}

func (p *page) name(row int) string {
	if n := p.rows[row].object; n > 0 {
		return p.names[n-1]
	}
	return "nil"
}
