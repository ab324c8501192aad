// Package browser is chromium for tests of pages: a page is opened, looked at and used as people do.
package browser

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// The size of the window, in pixels.
const width, height = 1280, 760

// A Browser is a test's: chromium, which ends with the test.
type Browser struct {
	t   testing.TB
	ctx context.Context

	mu     sync.Mutex
	errors []string
}

// New starts a browser, or skips the test where there is none.
func New(t testing.TB) *Browser {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("there is no chromium in PATH, in which the page could be opened")
	}
	// Not the test's own folder, whose name holds what the test is called.
	dir, err := os.MkdirTemp("", "misstep-browser-")
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
	b := &Browser{t: t, ctx: ctx}
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
	b.Do(chromedp.EmulateViewport(width, height))
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

// Quiet demands that nothing went wrong in the page.
func (b *Browser) Quiet() {
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

func (b *Browser) Do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// Eval evaluates an expression.
func (b *Browser) Eval(expression string) {
	b.t.Helper()
	b.Do(chromedp.Evaluate[chromedp.Void](expression))
}

// Resize gives the window another size, in pixels.
func (b *Browser) Resize(width, height int) {
	b.t.Helper()
	b.Do(chromedp.EmulateViewport(int64(width), int64(height)))
	b.Until(fmt.Sprintf("innerWidth === %d", width))
}

// Open opens a page and waits until it can be used, which a page says by data-ready in its root.
func (b *Browser) Open(address string) {
	b.t.Helper()
	b.Do(chromedp.Navigate("about:blank"), chromedp.Navigate(address))
	b.Until("document.documentElement.dataset.ready === 'true'")
}

// Until waits until an expression is true.
func (b *Browser) Until(expression string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 30*time.Second)
	defer cancel()
	poll := chromedp.Poll[chromedp.Void](expression, chromedp.WithPollingTimeout(10*time.Second))
	err := chromedp.Do(ctx, poll)
	for err != nil && moving(err) && ctx.Err() == nil {
		err = chromedp.Do(ctx, poll)
	}
	if err != nil {
		text, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string](`document.body.innerText.slice(0, 4000) + "\n" + location.hash + "\n" + document.activeElement.id`))
		b.t.Fatalf("waiting for %s: %v; the page shows\n%s\n%q", expression, err, text, b.errors)
	}
}

// moving reports whether an expression was not evaluated because a page was just being opened:
// the old page's context is gone, or the new one's is not there.
func moving(err error) bool {
	return strings.Contains(err.Error(), "context") || strings.Contains(err.Error(), "navigated")
}

// Get is an expression's value.
func Get[T any](b *Browser, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// Press presses keys.
func (b *Browser) Press(keys ...string) {
	b.t.Helper()
	for _, k := range keys {
		b.Do(chromedp.KeyEvent(k))
	}
}

// Enter puts a text into a field in the place of what is there, and presses Enter.
func (b *Browser) Enter(id, text string) {
	b.t.Helper()
	b.Eval(fmt.Sprintf("document.getElementById(%q).select()", id))
	b.Press(text, kb.Enter)
}

// Click clicks on the element that an expression is, when it is there.
func (b *Browser) Click(expression string) {
	b.t.Helper()
	b.Until(fmt.Sprintf("(() => { try { return (%s) != null } catch { return false } })()", expression))
	b.Eval(expression + ".click()")
}

// Picture writes a picture of the page. Few colours are enough for it.
func (b *Browser) Picture(name string) {
	b.t.Helper()
	b.Do(chromedp.EmulateViewport(1160, 560))
	b.Until("innerWidth === 1160")
	b.Eval("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
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
	b.Do(chromedp.EmulateViewport(width, height))
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
