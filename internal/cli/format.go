package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"misstep/campaign"
	"misstep/report"
)

// format is how a campaign is printed, and the files that its reports go to.
type format struct {
	json  bool
	lines bool
	files [len(forms)]string
}

// forms are the reports that go to files.
var forms = [...]struct {
	flag, usage string
	make        func(dir string, w io.Writer, earlier []*report.Campaign) campaign.Handler
}{
	{"sarif", "file for the findings as SARIF 2.1.0", func(dir string, w io.Writer, _ []*report.Campaign) campaign.Handler { return report.Sarif(dir, w) }},
	{"junit", "file for the checks and findings as JUnit's XML", func(dir string, w io.Writer, _ []*report.Campaign) campaign.Handler { return report.JUnit(dir, w) }},
	{"html", "file for a page of the campaign, which needs nothing beside itself", func(dir string, w io.Writer, earlier []*report.Campaign) campaign.Handler {
		return report.HTML(dir, w, earlier...)
	}},
}

func (f *format) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.json, "json", false, "print the stream of events as JSON lines; docs/events.md says what is in it")
	cmd.Flags().BoolVar(&f.lines, "lines", false, "print a line for each class of findings, as go vet does: file:line:column: message")
	for i, form := range forms {
		cmd.Flags().StringVar(&f.files[i], form.flag, "", form.usage+"; docs/reports.md")
	}
	cmd.MarkFlagsMutuallyExclusive("json", "lines")
}

// handler prints to the command's streams, and writes the reports. Dir is the folder of a campaign that is
// saved; empty of one that is carried out, or of a file of events. A report's folder is made sure of at once,
// so that a long hunt does not end with an error that could have been told before. Earlier campaigns are
// held against this one where a report has room for that.
func (f *format) handler(cmd *cobra.Command, dir string, earlier ...*report.Campaign) (campaign.Handler, error) {
	var all []campaign.Handler
	switch {
	case f.json:
		all = append(all, report.JSON(cmd.OutOrStdout()))
	case f.lines:
		all = append(all, report.Lines(dir, cmd.OutOrStdout()))
	default:
		all = append(all, report.Text(cmd.OutOrStdout(), cmd.ErrOrStderr()))
	}
	for i, form := range forms {
		path := f.files[i]
		if path == "" {
			continue
		}
		if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
			return nil, usagef("--%s %s: there is no folder %s", form.flag, path, filepath.Dir(path))
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return nil, usagef("--%s %s: this is a folder; expected a file", form.flag, path)
		}
		file := &lateFile{path: path}
		all = append(all, &closing{form.make(dir, file, earlier), file})
	}
	return report.Tee(all...), nil
}

// A lateFile is made when it is first written to, under another name until it is whole.
type lateFile struct {
	path string
	file *os.File
}

func (l *lateFile) Write(p []byte) (int, error) {
	if l.file == nil {
		var err error
		if l.file, err = os.CreateTemp(filepath.Dir(l.path), "."+filepath.Base(l.path)+"-*"); err != nil {
			return 0, err
		}
	}
	return l.file.Write(p)
}

// close puts the file in its place if it is whole, and else away.
func (l *lateFile) close(err error) error {
	if l.file == nil {
		return err
	}
	name := l.file.Name()
	if closed := l.file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Chmod(name, 0o644)
	}
	if err == nil {
		err = os.Rename(name, l.path)
	}
	l.file = nil
	if err != nil {
		os.Remove(name)
		return fmt.Errorf("writing %s: %w", l.path, err)
	}
	return nil
}

// closing is a handler whose file is whole when it has written all.
type closing struct {
	campaign.Handler
	file *lateFile
}

func (c *closing) Flush() error { return c.file.close(c.Handler.Flush()) }
