
// element makes an element with a class, text or children, and attributes.
function element(name, className, content, attributes) {
  const e = document.createElement(name);
  if (className) e.className = className;
  if (typeof content === "string") e.textContent = content;
  else if (content) e.append(...content);
  for (const [k, v] of Object.entries(attributes ?? {})) e.setAttribute(k, v);
  return e;
}

// maxHeight is how high an element may be in every browser; what is longer is scrolled
// in larger steps.
const maxHeight = 8e6;

// A List shows many rows of the same height, of which only those in view are elements.
class List {
  // render makes the element of the nth row; choose is told of a click on it.
  constructor(scroller, { count, render, choose }) {
    this.scroller = scroller;
    this.count = count;
    this.render = render;
    this.first = 0; // the row on top, and a fraction of it
    this.spacer = element("div", "spacer", null, { role: "presentation" });
    this.window = element("div", "window", null, { role: "presentation" });
    this.spacer.append(this.window);
    scroller.append(this.spacer);
    scroller.addEventListener("scroll", () => this.scrolled());
    scroller.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
    scroller.addEventListener("click", (e) => {
      const row = e.target.closest("[data-row]");
      if (row) choose(Number(row.dataset.row), e);
    });
    new ResizeObserver(() => this.refresh()).observe(scroller);
  }

  get rowHeight() {
    return parseFloat(getComputedStyle(this.scroller).getPropertyValue("--row")) || 24;
  }

  // fit is how many rows are in view.
  get fit() {
    return Math.max(1, Math.floor(this.scroller.clientHeight / this.rowHeight));
  }

  // range is how far can be scrolled, in rows and in pixels.
  range() {
    const height = Math.min(this.count() * this.rowHeight, maxHeight);
    return { height, rows: Math.max(0, this.count() - this.scroller.clientHeight / this.rowHeight), pixels: Math.max(0, height - this.scroller.clientHeight) };
  }

  scrolled() {
    if (this.scroller.scrollTop === this.set) return; // by scrollTo
    this.set = undefined;
    const { rows, pixels } = this.range();
    this.first = pixels > 0 ? (this.scroller.scrollTop / pixels) * rows : 0;
    this.refresh();
  }

  wheel(e) {
    const { rows, pixels } = this.range();
    if (pixels >= rows * this.rowHeight - 1 || e.ctrlKey) return; // as the browser does it
    e.preventDefault();
    this.scrollTo(this.first + (e.deltaMode === 0 ? e.deltaY / this.rowHeight : e.deltaY * 3));
  }

  // scrollTo puts a row on top.
  scrollTo(first) {
    const { height, rows, pixels } = this.range();
    this.first = Math.max(0, Math.min(first, rows));
    this.spacer.style.height = `${height}px`;
    this.scroller.scrollTop = rows > 0 ? (this.first / rows) * pixels : 0;
    this.set = this.scroller.scrollTop;
    this.refresh();
  }

  // show scrolls as little as is needed for a row to be in view.
  show(n, middle) {
    const fit = this.scroller.clientHeight / this.rowHeight;
    if (n >= this.first && n + 1 <= this.first + fit) return this.refresh();
    if (middle) return this.scrollTo(n - fit / 3);
    this.scrollTo(n < this.first ? n : n + 1 - fit);
  }

  // refresh draws the rows in view again, before the next frame.
  refresh() {
    if (this.drawing) return;
    this.drawing = requestAnimationFrame(() => {
      this.drawing = undefined;
      this.draw();
    });
  }

  draw() {
    const { height, rows } = this.range();
    this.first = Math.min(this.first, rows);
    this.spacer.style.height = `${height}px`;
    const from = Math.max(0, Math.floor(this.first) - 2);
    const to = Math.min(this.count(), from + this.fit + 6);
    const elements = [];
    for (let n = from; n < to; n++) {
      const e = this.render(n);
      e.dataset.row = n;
      elements.push(e);
    }
    this.window.replaceChildren(...elements);
    this.window.style.transform = `translateY(${this.scroller.scrollTop - (this.first - from) * this.rowHeight}px)`;
  }
}

// plain reports whether a key was pressed without others.
function plain(e) {
  return !e.altKey && !e.ctrlKey && !e.metaKey;
}

// stepOf is where a key leads in a list from a row; undefined if it leads nowhere.
function stepOf(e, list, at) {
  const steps = { ArrowUp: -1, ArrowDown: 1, PageUp: -list.fit, PageDown: list.fit, Home: -Infinity, End: Infinity };
  if (!(e.key in steps) || !plain(e) || list.count() === 0) return undefined;
  return Math.max(0, Math.min(list.count() - 1, at + steps[e.key]));
}

// keysOf lets keys move in a list; move is told the row.
function keysOf(e, list, at, move) {
  const n = stepOf(e, list, at);
  if (n === undefined) return false;
  e.preventDefault();
  move(n);
  return true;
}

// InTurn does what the user asks for one after another: data may have to be decoded
// first.
class InTurn {
  constructor() {
    this.last = Promise.resolve();
  }

  do(act) {
    this.last = this.last.then(act).catch((e) => console.error(e));
    return this.last;
  }
}
