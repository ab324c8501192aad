package view_test

import (
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"misstep/internal/browser"
	"misstep/view"
)

// selected is an expression: the text of the row of the tree that is selected.
const selected = `(document.querySelector("#tree [aria-selected=true]")?.innerText.replace(/\s+/g, " ") ?? "")`

// current is an expression: the line of the source that is shown.
const current = `(document.querySelector("#code [aria-current] .number")?.innerText ?? "")`

// save writes a page into a file, and returns its address.
func save(t testing.TB, r recorded, opts view.Options) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "a page.html")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := view.Write(f, r.reader(t), opts); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return (&url.URL{Scheme: "file", Path: name}).String()
}

// has is an expression: an expression holds a text.
func has(expression, text string) string { return fmt.Sprintf("%s.includes(%q)", expression, text) }

// row is an expression: the first row of a list that holds a text.
func row(list, text string) string {
	return fmt.Sprintf("[...document.querySelectorAll('#%s .row')].find((e) => e.innerText.replace(/\\s+/g, ' ').includes(%q))", list, text)
}

var screenshot = flag.String("screenshot", "", "write a picture of the page into this file")

// TestBrowser walks through the page of the program that lists no files.
func TestBrowser(t *testing.T) {
	b := browser.New(t)
	r, opts := lister(t)
	address := save(t, r, opts)
	b.Open(address)

	step := func(name string, do func()) {
		t.Helper()
		before := t.Failed()
		do()
		if t.Failed() && !before {
			t.Logf("at the step %q", name)
		}
	}
	step("it begins with the first balloon, on its branch, and its line", func() {
		b.Until(has(selected, "1 did not happen: <List:1>.Add(name) in main.(*FileLister).addItems"))
		b.Until(current + " === '48'")
		if *screenshot != "" {
			b.Picture(*screenshot)
		}
		if got := browser.Get[string](b, `document.querySelector("#code [aria-current]").className`); !strings.Contains(got, "omitted") {
			t.Errorf("the line of the operation is marked as %q", got)
		}
	})
	step("the branch is what the balloon is in", func() {
		b.Press(keyLeft)
		b.Until(has(selected, "if f.active false"))
		b.Until(current + " === '21'")
		if got := browser.Get[string](b, `document.querySelector("#code [aria-current]").className`); !strings.Contains(got, "here") {
			t.Errorf("the line of the branch is marked as %q", got)
		}
		if got := browser.Get[string](b, row2("code", "f.addItems()")+".className"); !strings.Contains(got, "never") {
			t.Errorf("the line in the branch is marked as %q", got)
		}
	})
	step("folding", func() {
		b.Press(keyLeft) // folds the branch
		b.Until(row("tree", "if f.active false") + `.getAttribute("aria-expanded") === "false"`)
		b.Until(row("tree", "if f.active false") + `.querySelector(".badge").innerText === "1"`)
		b.Press(keyLeft)
		b.Until(has(selected, "main.(*FileLister).run"))
		b.Press(keyLeft)
		b.Until(row("tree", "main.(*FileLister).run") + `.getAttribute("aria-expanded") === "false"`)
		b.Until(row("tree", "main.(*FileLister).run") + `.querySelector(".badge").innerText === "5"`)
		b.Press(keyRight)
		b.Until(row("tree", "main.(*FileLister).run") + `.getAttribute("aria-expanded") === "true"`)
		b.Press(keyRight, keyDown)
		b.Until(has(selected, "gets <[]string:1>"))
		b.Press(keyUp)
		b.Until(has(selected, "gets <FileLister:1>"))
		b.Press(keyHome)
		b.Until(has(selected, "goroutine 1"))
	})
	step("a bundle unfolds down to a balloon", func() {
		b.Click(row("tree", "main.(*FileLister).setArgs") + `.querySelector(".badge")`)
		b.Until(has(selected, "2 did not happen: <List:1>.Add(a)"))
		b.Until(current + " === '37'")
	})
	step("next and previous", func() {
		for range 2 {
			b.Press("n")
			b.Until(has(selected, "2 did not happen"))
		}
		b.Press("n")
		b.Until(has(selected, "1 did not happen"))
		b.Press("n")
		b.Until(has(selected, "3 did not happen: fmt.Println(<List:1>.Len()"))
		b.Press("p")
		b.Until(has(selected, "1 did not happen"))
	})
	step("the source", func() {
		b.Press(keyLeft, keyEnter)
		b.Until("document.activeElement.id === 'code'")
		b.Press(keyDown)
		b.Until(`document.querySelector("#code .cursor .number").innerText === "22"`)
		b.Press(keyEscape)
		b.Until("document.activeElement.id === 'tree'")
		b.Press("c")
		b.Until(current + " === '15'") // where run was called
		b.Press(keyEscape)
	})
	step("a balloon of the source leads to its branch", func() {
		b.Eval(row2("code", "d.Add(name)") + `?.scrollIntoView()`)
		b.Press("n", "n")
		b.Until(has(selected, "did not happen"))
	})
	step("the list of balloons", func() {
		b.Click(row("balloons", "main.(*FileLister).setArgs") + `.querySelector(".twisty")`)
		b.Until(`document.querySelectorAll("#balloons .decision").length === 3`)
		b.Click(row("balloons", "decision 3 of 3"))
		b.Until(has(selected, "2 did not happen"))
		b.Press(keyLeft, keyLeft, keyLeft)
		b.Until(has(selected, "iteration 3"))
		b.Click(`document.getElementById("writes")`)
		b.Until(`document.querySelectorAll("#balloons .row.balloon").length === 2`)
	})
	step("what no branch decided, and why a branch decided", func() {
		b.Eval(`document.getElementById("balloons").focus()`)
		b.Press(keyHome)
		b.Until(row("balloons", "a change happened, but to a copy") + `?.getAttribute("aria-selected") === "true"`)
		b.Until(current + " === '21'")
		b.Press(keyEnd)
		b.Until(row("balloons", "a field is left out") + `?.getAttribute("aria-selected") === "true"`)
		b.Until(current + " === '54'")
		b.Click(row("balloons", "since f.setArgs(args) was performed"))
		b.Until(current + " === '20'")
		b.Click(row("balloons", "since it was asked for elsewhere")) // a file that is not in the page
		b.Until(row("balloons", "elsewhere") + `?.getAttribute("aria-selected") === "true"`)
		if got := browser.Get[string](b, current); got != "20" {
			t.Errorf("it shows line %s", got)
		}
	})
	step("an object", func() {
		b.Click(`document.getElementById("tab-object")`)
		b.Enter("object", "<List:2>")
		b.Until(`document.querySelectorAll("#events .row").length === 11`)
		b.Eval(`document.getElementById("events").focus()`)
		b.Press(keyDown)
		b.Press(keyDown)
		b.Until(has(selected, "gets <List:2>"))
		b.Press(keyEnter)
		b.Until("document.activeElement.id === 'tree'")
		b.Press(keyLeft)
		b.Until(has(selected, "main.(*List).Add"))
		b.Enter("object", "<Nothing:7>")
		b.Until(`document.querySelectorAll("#events .row").length === 0`)
		b.Click(`document.getElementById("all-objects")`)
		b.Until(`document.querySelectorAll("#events .row").length === 8`)
		b.Click(row("events", "<List:1>"))
		b.Until(`document.querySelectorAll("#events .row").length === 11`) // with the balloons
	})
	step("search", func() {
		b.Press(keyEscape, "/")
		b.Until("document.activeElement.id === 'find'")
		b.Enter("find", "main.go:40")
		b.Until(has(`document.getElementById("found-count").innerText`, "5 rows"))
		b.Press(keyEnd)
		b.Until(has(selected, "main.(*List).Add"))
		b.Enter("find", "NEWITEM")
		b.Until(has(`document.getElementById("found-count").innerText`, "Nothing holds NEWITEM."))
		b.Enter("find", "printitems")
		b.Until(has(`document.getElementById("found-count").innerText`, "3 rows"))
		b.Click(row("found", "3 did not happen"))
		b.Until(has(selected, "3 did not happen"))
	})
	step("the address leads back to where one was", func() {
		b.Press(keyEscape, keyLeft)
		b.Until(has(selected, "switch took another case"))
		link := browser.Get[string](b, "location.href")
		b.Open(link)
		b.Until(has(selected, "switch took another case"))
		b.Until(current + " === '54'")
		b.Until(`document.getElementById("object").value === "<List:1>" && document.getElementById("find").value === "printitems"`)
		b.Until(`document.getElementById("tab-search").getAttribute("aria-selected") === "true"`)
		b.Open(strings.Split(link, "#")[0] + "#row=999999&object=%3C&view=none")
		b.Until(has(selected, "goroutine 1"))
	})
	step("back", func() {
		b.Press("n")
		b.Until(has(selected, "did not happen") + ` && !location.hash.startsWith("#row=0&")`)
		b.Eval("history.back()")
		b.Until(has(selected, "goroutine 1"))
	})
	step("help", func() {
		b.Press(keyEscape, "?")
		b.Until(`document.getElementById("help").open`)
		b.Press(keyEscape)
		b.Until(`!document.getElementById("help").open`)
	})
	step("what is read out", func() {
		if bad := browser.Get[[]string](b, `[...document.querySelectorAll("[role=treeitem]")].filter((e) => !e.getAttribute("aria-level") || !e.getAttribute("aria-posinset")).map((e) => e.outerHTML)`); len(bad) > 0 {
			t.Errorf("rows without a level: %q", bad)
		}
		b.Press(keyHome)
		b.Until(`document.getElementById(document.getElementById("tree").getAttribute("aria-activedescendant"))?.getAttribute("aria-selected") === "true"`)
	})
	step("a page of the first event alone", func() {
		b.Open(save(t, r, view.Options{Limit: 1}))
		b.Until(has(selected, "goroutine 1"))
		b.Until(`document.getElementById("tab-object").hidden && document.getElementById("tab-balloons").hidden`)
		b.Until(has(`document.getElementById("notes").innerText`, "only the first 1 events are shown"))
		b.Press("n", "o", "c", keyDown)
		b.Until(has(selected, "main.main did not end"))
	})
	for _, scheme := range []string{"light", "dark"} {
		step("contrast of "+scheme, func() {
			b.Open(address)
			b.Eval(fmt.Sprintf("document.documentElement.style.colorScheme = %q", scheme))
			if faint := browser.Get[[]string](b, contrast); len(faint) > 0 {
				t.Errorf("%s: hard to read: %q", scheme, faint)
			}
		})
	}
	if got := browser.Get[int](b, "document.scripts.length"); got != len(decode(t, read(t, address)).blocks)+1 {
		t.Errorf("there are %d scripts in the document", got)
	}
	b.Quiet()
}

// row2 is an expression: the line of a source that holds a text.
func row2(list, text string) string {
	return fmt.Sprintf("[...document.querySelectorAll('#%s .line')].find((e) => e.innerText.includes(%q))", list, text)
}

func read(t *testing.T, address string) []byte {
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(u.Path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// contrast is an expression: texts whose colour is too near to that behind them (WCAG
// 2.2, level AA).
const contrast = `(() => {
	const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
	const over = (colours) => {
		canvas.clearRect(0, 0, 1, 1);
		for (const c of colours) { canvas.fillStyle = c; canvas.fillRect(0, 0, 1, 1); }
		return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
	};
	const light = (c) => { const [r, g, b] = c.map((v) => v / 255).map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
	const faint = new Set();
	for (const e of document.querySelectorAll("body *")) {
		if (![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) || !e.checkVisibility() || e.closest("script, style, .only-heard")) continue;
		const behind = [];
		for (let at = e; at; at = at.parentElement) behind.unshift(getComputedStyle(at).backgroundColor);
		const ground = over(behind), ink = over([...behind, getComputedStyle(e).color]);
		const [a, b] = [light(ground), light(ink)].sort((x, y) => y - x);
		if ((a + 0.05) / (b + 0.05) < 4.5) faint.add(e.className + " " + e.innerText.slice(0, 20) + " " + ((a + 0.05) / (b + 0.05)).toFixed(1));
	}
	return [...faint];
})()`

// TestBrowserMillion: of a million events, only the rows in view are elements.
func TestBrowserMillion(t *testing.T) {
	b := browser.New(t)
	b.Open(save(t, million(t), view.Options{}))
	bounded := func() {
		t.Helper()
		if n := browser.Get[int](b, `document.querySelectorAll("#tree .row").length`); n == 0 || n > 60 {
			t.Errorf("%d rows are elements", n)
		}
		if n := browser.Get[int](b, `document.querySelectorAll("*").length`); n > 2500 {
			t.Errorf("the page has %d elements", n)
		}
	}
	b.Until(has(selected, "goroutine 1"))
	bounded()
	b.Click(row("tree", "100000 times"))
	b.Until(has(selected, "for i := range 100_000 100000 times"))
	b.Press(keyRight, keyRight)
	b.Until(has(selected, "iteration 1 "))
	bounded()
	b.Press(keyEnd, keyUp)
	b.Until(has(selected, "iteration 100000 ") + " || " + has(selected, "if d.throw"))
	b.Click(row("tree", "iteration 100000 "))
	b.Until(has(selected, "iteration 100000 "))
	bounded()
	b.Press(keyPageUp)
	b.Until("!" + has(selected, "iteration 100000 ") + " && " + has(selected, "iteration 999"))
	b.Press(keyHome, "/")
	b.Enter("find", "main.(*Sum).add")
	b.Until(`Number(document.getElementById("found-count").innerText.split(" ")[0]) > 10000`)
	b.Press(keyEnd)
	b.Until(has(selected, "main.(*Sum).add"))
	bounded()
	b.Eval(`document.getElementById("tree").scrollTop = 1e7`)
	b.Until(row("tree", "iteration 100000"))
	b.Eval(`document.getElementById("tree").dispatchEvent(new WheelEvent("wheel", { deltaY: -240, cancelable: true }))`)
	bounded()
	b.Quiet()
}

// BenchmarkOpen opens the page of a million events, until it can be used.
func BenchmarkOpen(bench *testing.B) {
	b := browser.New(bench)
	address := save(bench, million(bench), view.Options{})
	for bench.Loop() {
		b.Open(address)
	}
}
