package report

import (
	"fmt"
	"html/template"
	"io"
	"time"
)

// A Board is what a hub has: campaigns and workers.
type Board struct {
	Campaigns []Listed
	Workers   []Present
}

// A Listed is a campaign of a board.
type Listed struct {
	Name, By string
	Begun    time.Time
	Complete bool
}

// A Present is a worker of a board.
type Present struct {
	Name, Kind        string
	Adapters          []string
	Busy, Slots, Done int
	Since             time.Time
}

// Write writes the board as a page, on which each campaign is a link below campaign/. It is looked at anew each
// few seconds.
func (b *Board) Write(w io.Writer) error {
	style, err := pageFiles.ReadFile("page/page.css")
	if err != nil {
		return fmt.Errorf("the page's style: %w", err)
	}
	markup, err := template.New("board.html").Funcs(funcs).ParseFS(pageFiles, "page/board.html")
	if err != nil {
		return fmt.Errorf("the board's markup: %w", err)
	}
	err = markup.Execute(w, map[string]any{"Policy": "default-src 'none'; style-src 'unsafe-inline'", "Style": template.CSS(style), "B": b})
	if err != nil {
		return fmt.Errorf("writing the board: %w", err)
	}
	return nil
}
