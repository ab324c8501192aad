package view_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"misstep/view"
)

// The size of the window.
const width, height = 1280, 760

// A browser is a test's: chromium, which ends with the test.
type browser struct {
	t   testing.TB
	ctx context.Context

	mu     sync.Mutex
	errors []string
}

// newBrowser starts a browser, or skips the test where there is none.
func newBrowser(t testing.TB) *browser {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("there is no chromium in PATH, in which the page could be opened")
	}
	// Not the test's own folder, whose name holds what the test is called.
	dir, err := os.MkdirTemp("", "misstep-view-")
	if err != nil {
		t.Fatal(err)
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.UserDataDir(dir), chromedp.WindowSize(width, height))
	if os.Getuid() == 0 {
		opts = append(opts, chromedp.NoSandbox)
	}
	ctx, end := context.WithTimeout(context.Background(), 3*time.Minute)
	ctx, _ = chromedp.NewExecAllocator(ctx, opts...)
	ctx, _ = chromedp.NewContext(ctx)
	b := &browser{t: t, ctx: ctx}
	t.Cleanup(func() {
		if err := chromedp.Cancel(ctx); err != nil {
			t.Errorf("ending the browser: %v", err)
		}
		end()
		for range 100 {
			if left(dir) == 0 {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		if n := left(dir); n > 0 {
			t.Errorf("%d processes of the browser are left", n)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	b.do(chromedp.EmulateViewport(width, height))
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			b.mu.Lock()
			b.errors = append(b.errors, m.Text)
			b.mu.Unlock()
		}
	}()
	return b
}

// quiet demands that nothing went wrong in the page.
func (b *browser) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.errors) > 0 {
		b.t.Errorf("the browser says %q", b.errors)
	}
}

// left counts the processes whose arguments name a folder.
func left(dir string) (n int) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		if text, err := os.ReadFile(f); err == nil && bytes.Contains(text, []byte(dir)) {
			n++
		}
	}
	return n
}

func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// eval evaluates an expression.
func (b *browser) eval(expression string) {
	b.t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](expression))
}

// open opens a page and waits until it can be used.
func (b *browser) open(address string) {
	b.t.Helper()
	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(address))
	b.until("document.documentElement.dataset.ready === 'true'")
}

// until waits until an expression is true.
func (b *browser) until(expression string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 30*time.Second)
	defer cancel()
	poll := chromedp.Poll[chromedp.Void](expression, chromedp.WithPollingTimeout(10*time.Second))
	err := chromedp.Do(ctx, poll)
	for err != nil && strings.Contains(err.Error(), "context") && ctx.Err() == nil {
		err = chromedp.Do(ctx, poll) // a page that is just being opened
	}
	if err != nil {
		text, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string](`document.getElementById("notes").innerText + "\n" + document.getElementById("tree").innerText + "\n" + location.hash + "\n" + document.activeElement.id`))
		b.t.Fatalf("waiting for %s: %v; the page shows\n%s\n%q", expression, err, text, b.errors)
	}
}

// get is an expression's value.
func get[T any](b *browser, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// press presses keys.
func (b *browser) press(keys ...string) {
	b.t.Helper()
	for _, k := range keys {
		b.do(chromedp.KeyEvent(k))
	}
}

// enter puts a text into a field in the place of what is there, and presses Enter.
func (b *browser) enter(id, text string) {
	b.t.Helper()
	b.eval(fmt.Sprintf("document.getElementById(%q).select()", id))
	b.press(text, keyEnter)
}

// click clicks on the element that an expression is, when it is there.
func (b *browser) click(expression string) {
	b.t.Helper()
	b.until(fmt.Sprintf("(() => { try { return (%s) != null } catch { return false } })()", expression))
	b.eval(expression + ".click()")
}

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

// picture writes a picture of the page. Few colours are enough for it.
func (b *browser) picture(name string) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(1160, 560))
	b.until("innerWidth === 1160")
	b.eval("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
	shot, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatal(err)
	}
	full, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		b.t.Fatal(err)
	}
	few := image.NewPaletted(full.Bounds(), common(full, 256))
	draw.Draw(few, full.Bounds(), full, image.Point{}, draw.Src)
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, few); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(name, out.Bytes(), 0o666); err != nil {
		b.t.Fatal(err)
	}
	b.do(chromedp.EmulateViewport(width, height))
}

// common are the colours that most of a picture has.
func common(m image.Image, n int) color.Palette {
	counts := map[color.RGBA]int{}
	for y := range m.Bounds().Dy() {
		for x := range m.Bounds().Dx() {
			counts[color.RGBAModel.Convert(m.At(x, y)).(color.RGBA)]++
		}
	}
	all := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int { return counts[b] - counts[a] })
	var p color.Palette
	for _, c := range all[:min(n, len(all))] {
		p = append(p, c)
	}
	return p
}

// TestBrowser walks through the page of the program that lists no files.
func TestBrowser(t *testing.T) {
	b := newBrowser(t)
	r, opts := lister(t)
	address := save(t, r, opts)
	b.open(address)

	step := func(name string, do func()) {
		t.Helper()
		before := t.Failed()
		do()
		if t.Failed() && !before {
			t.Logf("at the step %q", name)
		}
	}
	step("it begins with the first balloon, on its branch, and its line", func() {
		b.until(has(selected, "1 did not happen: <List:1>.Add(name) in main.(*FileLister).addItems"))
		b.until(current + " === '48'")
		if *screenshot != "" {
			b.picture(*screenshot)
		}
		if got := get[string](b, `document.querySelector("#code [aria-current]").className`); !strings.Contains(got, "omitted") {
			t.Errorf("the line of the operation is marked as %q", got)
		}
	})
	step("the branch is what the balloon is in", func() {
		b.press(keyLeft)
		b.until(has(selected, "if f.active false"))
		b.until(current + " === '21'")
		if got := get[string](b, `document.querySelector("#code [aria-current]").className`); !strings.Contains(got, "here") {
			t.Errorf("the line of the branch is marked as %q", got)
		}
		if got := get[string](b, row2("code", "f.addItems()")+".className"); !strings.Contains(got, "never") {
			t.Errorf("the line in the branch is marked as %q", got)
		}
	})
	step("folding", func() {
		b.press(keyLeft) // folds the branch
		b.until(row("tree", "if f.active false") + `.getAttribute("aria-expanded") === "false"`)
		b.until(row("tree", "if f.active false") + `.querySelector(".badge").innerText === "1"`)
		b.press(keyLeft)
		b.until(has(selected, "main.(*FileLister).run"))
		b.press(keyLeft)
		b.until(row("tree", "main.(*FileLister).run") + `.getAttribute("aria-expanded") === "false"`)
		b.until(row("tree", "main.(*FileLister).run") + `.querySelector(".badge").innerText === "5"`)
		b.press(keyRight)
		b.until(row("tree", "main.(*FileLister).run") + `.getAttribute("aria-expanded") === "true"`)
		b.press(keyRight, keyDown)
		b.until(has(selected, "gets <[]string:1>"))
		b.press(keyUp)
		b.until(has(selected, "gets <FileLister:1>"))
		b.press(keyHome)
		b.until(has(selected, "goroutine 1"))
	})
	step("a bundle unfolds down to a balloon", func() {
		b.click(row("tree", "main.(*FileLister).setArgs") + `.querySelector(".badge")`)
		b.until(has(selected, "2 did not happen: <List:1>.Add(a)"))
		b.until(current + " === '37'")
	})
	step("next and previous", func() {
		for range 2 {
			b.press("n")
			b.until(has(selected, "2 did not happen"))
		}
		b.press("n")
		b.until(has(selected, "1 did not happen"))
		b.press("n")
		b.until(has(selected, "3 did not happen: fmt.Println(<List:1>.Len()"))
		b.press("p")
		b.until(has(selected, "1 did not happen"))
	})
	step("the source", func() {
		b.press(keyLeft, keyEnter)
		b.until("document.activeElement.id === 'code'")
		b.press(keyDown)
		b.until(`document.querySelector("#code .cursor .number").innerText === "22"`)
		b.press(keyEscape)
		b.until("document.activeElement.id === 'tree'")
		b.press("c")
		b.until(current + " === '15'") // where run was called
		b.press(keyEscape)
	})
	step("a balloon of the source leads to its branch", func() {
		b.eval(row2("code", "d.Add(name)") + `?.scrollIntoView()`)
		b.press("n", "n")
		b.until(has(selected, "did not happen"))
	})
	step("the list of balloons", func() {
		b.click(row("balloons", "main.(*FileLister).setArgs") + `.querySelector(".twisty")`)
		b.until(`document.querySelectorAll("#balloons .decision").length === 3`)
		b.click(row("balloons", "decision 3 of 3"))
		b.until(has(selected, "2 did not happen"))
		b.press(keyLeft, keyLeft, keyLeft)
		b.until(has(selected, "iteration 3"))
		b.click(`document.getElementById("writes")`)
		b.until(`document.querySelectorAll("#balloons .row.balloon").length === 2`)
	})
	step("an object", func() {
		b.click(`document.getElementById("tab-object")`)
		b.enter("object", "<List:2>")
		b.until(`document.querySelectorAll("#events .row").length === 11`)
		b.eval(`document.getElementById("events").focus()`)
		b.press(keyDown)
		b.press(keyDown)
		b.until(has(selected, "gets <List:2>"))
		b.press(keyEnter)
		b.until("document.activeElement.id === 'tree'")
		b.press(keyLeft)
		b.until(has(selected, "main.(*List).Add"))
		b.enter("object", "<Nothing:7>")
		b.until(`document.querySelectorAll("#events .row").length === 0`)
		b.click(`document.getElementById("all-objects")`)
		b.until(`document.querySelectorAll("#events .row").length === 8`)
		b.click(row("events", "<List:1>"))
		b.until(`document.querySelectorAll("#events .row").length === 11`) // with the balloons
	})
	step("search", func() {
		b.press(keyEscape, "/")
		b.until("document.activeElement.id === 'find'")
		b.enter("find", "main.go:40")
		b.until(has(`document.getElementById("found-count").innerText`, "5 rows"))
		b.press(keyEnd)
		b.until(has(selected, "main.(*List).Add"))
		b.enter("find", "NEWITEM")
		b.until(has(`document.getElementById("found-count").innerText`, "Nothing holds NEWITEM."))
		b.enter("find", "printitems")
		b.until(has(`document.getElementById("found-count").innerText`, "3 rows"))
		b.click(row("found", "3 did not happen"))
		b.until(has(selected, "3 did not happen"))
	})
	step("the address leads back to where one was", func() {
		b.press(keyEscape, keyLeft)
		b.until(has(selected, "switch took another case"))
		link := get[string](b, "location.href")
		b.open(link)
		b.until(has(selected, "switch took another case"))
		b.until(current + " === '54'")
		b.until(`document.getElementById("object").value === "<List:1>" && document.getElementById("find").value === "printitems"`)
		b.until(`document.getElementById("tab-search").getAttribute("aria-selected") === "true"`)
		b.open(strings.Split(link, "#")[0] + "#row=999999&object=%3C&view=none")
		b.until(has(selected, "goroutine 1"))
	})
	step("back", func() {
		b.press("n")
		b.until(has(selected, "did not happen") + ` && !location.hash.startsWith("#row=0&")`)
		b.eval("history.back()")
		b.until(has(selected, "goroutine 1"))
	})
	step("help", func() {
		b.press(keyEscape, "?")
		b.until(`document.getElementById("help").open`)
		b.press(keyEscape)
		b.until(`!document.getElementById("help").open`)
	})
	step("what is read out", func() {
		if bad := get[[]string](b, `[...document.querySelectorAll("[role=treeitem]")].filter((e) => !e.getAttribute("aria-level") || !e.getAttribute("aria-posinset")).map((e) => e.outerHTML)`); len(bad) > 0 {
			t.Errorf("rows without a level: %q", bad)
		}
		b.press(keyHome)
		b.until(`document.getElementById(document.getElementById("tree").getAttribute("aria-activedescendant"))?.getAttribute("aria-selected") === "true"`)
	})
	step("a page of the first event alone", func() {
		b.open(save(t, r, view.Options{Limit: 1}))
		b.until(has(selected, "goroutine 1"))
		b.until(`document.getElementById("tab-object").hidden && document.getElementById("tab-balloons").hidden`)
		b.until(has(`document.getElementById("notes").innerText`, "only the first 1 events are shown"))
		b.press("n", "o", "c", keyDown)
		b.until(has(selected, "main.main did not end"))
	})
	for _, scheme := range []string{"light", "dark"} {
		step("contrast of "+scheme, func() {
			b.open(address)
			b.eval(fmt.Sprintf("document.documentElement.style.colorScheme = %q", scheme))
			if faint := get[[]string](b, contrast); len(faint) > 0 {
				t.Errorf("%s: hard to read: %q", scheme, faint)
			}
		})
	}
	if got := get[int](b, "document.scripts.length"); got != len(decode(t, read(t, address)).blocks)+1 {
		t.Errorf("there are %d scripts in the document", got)
	}
	b.quiet()
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
	b := newBrowser(t)
	b.open(save(t, million(t), view.Options{}))
	bounded := func() {
		t.Helper()
		if n := get[int](b, `document.querySelectorAll("#tree .row").length`); n == 0 || n > 60 {
			t.Errorf("%d rows are elements", n)
		}
		if n := get[int](b, `document.querySelectorAll("*").length`); n > 2500 {
			t.Errorf("the page has %d elements", n)
		}
	}
	b.until(has(selected, "goroutine 1"))
	bounded()
	b.click(row("tree", "100000 times"))
	b.until(has(selected, "for i := range 100_000 100000 times"))
	b.press(keyRight, keyRight)
	b.until(has(selected, "iteration 1 "))
	bounded()
	b.press(keyEnd, keyUp)
	b.until(has(selected, "iteration 100000 ") + " || " + has(selected, "if d.throw"))
	b.click(row("tree", "iteration 100000 "))
	b.until(has(selected, "iteration 100000 "))
	bounded()
	b.press(keyPageUp)
	b.until("!" + has(selected, "iteration 100000 ") + " && " + has(selected, "iteration 999"))
	b.press(keyHome, "/")
	b.enter("find", "main.(*Sum).add")
	b.until(`Number(document.getElementById("found-count").innerText.split(" ")[0]) > 10000`)
	b.press(keyEnd)
	b.until(has(selected, "main.(*Sum).add"))
	bounded()
	b.eval(`document.getElementById("tree").scrollTop = 1e7`)
	b.until(row("tree", "iteration 100000"))
	b.eval(`document.getElementById("tree").dispatchEvent(new WheelEvent("wheel", { deltaY: -240, cancelable: true }))`)
	bounded()
	b.quiet()
}

// BenchmarkOpen opens the page of a million events, until it can be used.
func BenchmarkOpen(bench *testing.B) {
	b := newBrowser(bench)
	address := save(bench, million(bench), view.Options{})
	for bench.Loop() {
		b.open(address)
	}
}
