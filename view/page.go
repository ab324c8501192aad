package view

import (
	"bufio"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
)

//go:embed page
var pageFiles embed.FS

// scripts are the parts of the page's script, in their order.
var scripts = []string{"data.js", "list.js", "tree.js", "source.js", "panes.js", "main.js"}

// write writes the page: markup, data, and the script that reads it.
func (p *pageData) write(w io.Writer) error {
	out := bufio.NewWriter(w)
	script := ""
	for _, name := range scripts {
		text, err := pageFiles.ReadFile("page/" + name)
		if err != nil {
			return fmt.Errorf("the page's script: %w", err)
		}
		script += string(text)
	}
	// The browser reads line ends as \n when it checks the sum.
	script = "\n" + strings.ReplaceAll(script, "\r\n", "\n")
	style, err := pageFiles.ReadFile("page/page.css")
	if err != nil {
		return fmt.Errorf("the page's style: %w", err)
	}
	markup, err := template.ParseFS(pageFiles, "page/page.html")
	if err != nil {
		return fmt.Errorf("the page's markup: %w", err)
	}
	sum := sha256.Sum256([]byte(script))
	err = markup.Execute(out, map[string]any{
		"Title":  p.reader.Plan.Program,
		"Policy": "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'",
		"Style":  template.CSS(style),
	})
	if err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	if err := p.writeBlocks(out); err != nil {
		return err
	}
	fmt.Fprintf(out, "<script>%s</script>\n</body>\n</html>\n", script)
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

// writeBlocks writes the data.
func (p *pageData) writeBlocks(out *bufio.Writer) error {
	index, objects, err := p.encodeIndex()
	if err != nil {
		return err
	}
	blocks := &blockWriter{out: out}
	blocks.write("index", index)
	blocks.write("objects", objects)
	blocks.write("paths", p.encodePaths())
	for i := range p.reader.Plan.Files {
		text, err := p.encodeFile(i)
		if err != nil {
			return err
		}
		blocks.write(fmt.Sprintf("file-%d", i), text)
	}
	for n := 0; n*chunkRows < len(p.rows); n++ {
		blocks.write(fmt.Sprintf("rows-%d", n), encodeRows(p.rows[n*chunkRows:min((n+1)*chunkRows, len(p.rows))]))
	}
	if blocks.err != nil {
		return fmt.Errorf("writing the page: %w", blocks.err)
	}
	return nil
}

// blockWriter writes blocks of data until one fails.
type blockWriter struct {
	out    *bufio.Writer
	packer *flate.Writer
	buf    bytes.Buffer
	err    error
}

func (b *blockWriter) write(id string, data []byte) {
	if b.err != nil {
		return
	}
	b.buf.Reset()
	if b.packer == nil {
		if b.packer, b.err = flate.NewWriter(&b.buf, flate.DefaultCompression); b.err != nil {
			return
		}
	} else {
		b.packer.Reset(&b.buf)
	}
	if _, b.err = b.packer.Write(data); b.err != nil {
		return
	}
	if b.err = b.packer.Close(); b.err != nil {
		return
	}
	_, b.err = fmt.Fprintf(b.out, "<script type=\"application/octet-stream\" id=\"%s\">%s</script>\n", id, base64.StdEncoding.EncodeToString(b.buf.Bytes()))
}
