package view_test

import "github.com/chromedp/chromedp/kb"

// Keys, as chromedp has them.
const (
	keyLeft   = kb.ArrowLeft
	keyRight  = kb.ArrowRight
	keyUp     = kb.ArrowUp
	keyDown   = kb.ArrowDown
	keyHome   = kb.Home
	keyEnd    = kb.End
	keyPageUp = kb.PageUp
	keyEnter  = kb.Enter
	keyEscape = kb.Escape
)
