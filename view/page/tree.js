
// An Unfolded row, with those of its children that are unfolded, too.
class Unfolded {
  constructor(id, first, size, parent) {
    Object.assign(this, { id, first, size, parent, open: [], shown: size });
  }
}

// Folds says which rows are shown, by what is unfolded.
class Folds {
  constructor(roots) {
    this.root = new Unfolded(-1, 0, roots, undefined);
    this.unfolded = new Map([[-1, this.root]]);
  }

  get count() {
    return this.root.shown;
  }

  // at is the nth row that is shown.
  at(n) {
    let level = 1;
    for (let b = this.root; ; level++) {
      let skipped = 0, inside;
      for (const o of b.open) {
        const at = o.id - b.first + skipped;
        if (n <= at) break;
        if (n <= at + o.shown) {
          inside = o;
          n -= at + 1;
          break;
        }
        skipped += o.shown;
      }
      if (!inside) {
        const id = b.first + n - skipped;
        return { id, level, position: id - b.first + 1, siblings: b.size };
      }
      b = inside;
    }
  }

  // place is which row, of those that are shown, a row is; -1 if it is not shown.
  place(row) {
    const b = this.unfolded.get(row.parent);
    if (!b) return -1;
    let n = this.below(b, row.id);
    for (let at = b; at.parent; at = at.parent) n += 1 + this.below(at.parent, at.id);
    return n;
  }

  // below is how many rows are shown in an unfolded one before one of its children.
  below(b, id) {
    let n = id - b.first;
    for (const o of b.open) {
      if (o.id >= id) break;
      n += o.shown;
    }
    return n;
  }

  isOpen(id) {
    return this.unfolded.has(id);
  }

  unfold(row) {
    const parent = this.unfolded.get(row.parent);
    if (!parent || row.size === 0 || this.unfolded.has(row.id)) return;
    const b = new Unfolded(row.id, row.first, row.size, parent);
    const before = parent.open.findIndex((o) => o.id > row.id);
    parent.open.splice(before < 0 ? parent.open.length : before, 0, b);
    this.unfolded.set(row.id, b);
    for (let at = parent; at; at = at.parent) at.shown += b.size;
  }

  fold(id) {
    const b = this.unfolded.get(id);
    if (!b || !b.parent) return;
    b.parent.open.splice(b.parent.open.indexOf(b), 1);
    for (let at = b.parent; at; at = at.parent) at.shown -= b.shown;
    const forget = (x) => {
      this.unfolded.delete(x.id);
      x.open.forEach(forget);
    };
    forget(b);
  }
}

// A Tree shows the history.
class Tree {
  // chosen is told of the row that is selected.
  constructor(data, scroller, turn, chosen) {
    this.data = data;
    this.scroller = scroller;
    this.chosen = chosen;
    this.folds = new Folds(data.index.roots);
    this.selected = 0;
    this.list = new List(scroller, {
      count: () => this.folds.count,
      render: (n) => this.render(n),
      choose: (n, e) => {
        const { id } = this.folds.at(n);
        turn.do(() => this.clicked(id, e.target));
      },
    });
    scroller.addEventListener("keydown", (e) => {
      if (!plain(e) || !treeKeys.has(e.key)) return;
      e.preventDefault();
      turn.do(() => this.key(e));
    });
  }

  render(n) {
    const { id, level, position, siblings } = this.folds.at(n);
    const row = this.data.row(id);
    if (!row) {
      this.data.load(id).then(() => this.list.refresh());
      return element("div", "row", "…");
    }
    const open = this.folds.isOpen(id);
    const e = rowElement(this.data, row, { open });
    e.id = "row-" + id;
    e.style.setProperty("--level", Math.min(level, 40));
    e.setAttribute("role", "treeitem");
    e.setAttribute("aria-level", level);
    e.setAttribute("aria-posinset", position);
    e.setAttribute("aria-setsize", siblings);
    e.setAttribute("aria-selected", id === this.selected);
    if (row.size > 0) e.setAttribute("aria-expanded", open);
    if (this.object && row.object === this.object) e.classList.add("mine");
    return e;
  }

  async clicked(id, target) {
    const row = await this.data.load(id);
    if (target.closest(".badge")) return this.unbundle(row);
    if (target.closest(".twisty") || id === this.selected) await this.toggle(row);
    await this.select(id);
  }

  // unbundle unfolds what is below a row, down to the first balloon.
  async unbundle(row) {
    for (let at = row; at; ) {
      await this.unfold(at);
      let next;
      for (let id = at.first; id < at.first + at.size && !next; id++) {
        const child = await this.data.load(id);
        if (child.what.kind === kinds.balloon) return this.select(id);
        if (this.data.badges.has(id)) next = child;
      }
      at = next;
    }
  }

  async toggle(row) {
    if (this.folds.isOpen(row.id)) {
      this.folds.fold(row.id);
      this.list.refresh();
    } else await this.unfold(row);
  }

  async unfold(row) {
    if (row.size > 0) await this.data.load(row.first);
    this.folds.unfold(row);
    this.list.refresh();
  }

  // reveal unfolds all that a row is in.
  async reveal(id) {
    const path = await this.data.ancestors(id);
    const row = path.pop();
    for (const r of path) this.folds.unfold(r);
    return row;
  }

  // select selects a row and shows it.
  async select(id, middle) {
    const row = await this.reveal(id);
    this.selected = id;
    this.list.show(this.folds.place(row), middle);
    this.scroller.setAttribute("aria-activedescendant", "row-" + id);
    await this.chosen(row);
  }

  async key(e) {
    const row = await this.data.load(this.selected);
    const to = stepOf(e, this.list, this.folds.place(row));
    if (to !== undefined) return this.select(this.folds.at(to).id);
    const open = this.folds.isOpen(row.id);
    if (e.key === " ") await this.toggle(row);
    else if (e.key === "ArrowRight" && row.size > 0) await (open ? this.select(row.first) : this.unfold(row));
    else if (e.key === "ArrowLeft" && open) await this.toggle(row);
    else if (e.key === "ArrowLeft" && row.parent >= 0) await this.select(row.parent);
  }
}

const treeKeys = new Set(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "PageUp", "PageDown", "Home", "End", " "]);

// rowElement is a row, in the tree and in the lists of rows.
function rowElement(data, row, { open, flat }) {
  const w = row.what;
  const names = Object.keys(kinds);
  const e = element("div", `row ${names[w.kind]}`);
  if (!flat) e.append(element("span", "twisty", row.size === 0 ? "" : open ? "▾" : "▸", { "aria-hidden": "true" }));
  e.append(...says(data, row));
  if (!flat && !open && data.badges.has(row.id)) {
    const n = data.badges.get(row.id);
    e.append(element("button", "badge", `${n}`, { type: "button", tabindex: -1, title: `${n} operations in it did not happen`, "aria-label": `${n} operations in it did not happen` }));
  }
  const place = placeOf(data, row);
  const at = place ? data.placeElement(place.file, place.line) : element("span", "place");
  const time = w.kind === kinds.goroutine || w.kind === kinds.balloon ? "" : w.kind === kinds.call && row.end > row.time ? `${row.time}–${row.end}` : `${row.time}`;
  e.append(element("span", "space"), at, element("span", "time", time));
  return e;
}

// placeOf is where in the source a row is: of a call, where it was called.
function placeOf(data, row) {
  const w = row.what;
  if (w.kind === kinds.goroutine) return undefined;
  if (w.line > 0) return { file: w.file, line: w.line };
  if (w.kind === kinds.call) return data.func(w.fn);
  return undefined;
}

// says is what a row says.
function says(data, row) {
  const w = row.what;
  const outcome = (text, className) => element("span", `outcome ${className ?? text}`, text);
  const object = () => element("span", "instance", data.objectName(row.object));
  const out = [];
  switch (w.kind) {
    case kinds.goroutine:
      return [element("span", "text", `goroutine ${row.aux}`)];
    case kinds.call:
      out.push(element("span", "function", short(w.text), { title: w.text }));
      if (w.outcome) out.push(outcome(w.outcome, "bad"));
      if (w.line > 0) out.push(element("code", "code", w.code));
      return out;
    case kinds.loop:
      return [element("code", "branch", w.text), outcome(row.aux === 1 ? "once" : `${row.aux} times`, "times")];
    case kinds.mark:
      if (row.aux > 0) return [element("span", "text", `iteration ${row.aux}`)];
      return [element("code", "branch", w.text), outcome(w.outcome)];
    case kinds.lapse:
      return [element("code", "branch", w.text), outcome(w.outcome)];
    case kinds.branch:
      return [element("code", "branch", w.text), outcome(w.outcome, "other")];
    case kinds.object:
      return [element("span", "verb", w.text), object(), element("code", "code", w.code)];
    case kinds.balloon:
      return [bubble(data, data.index.balloons[row.aux]), element("span", "where", whereabouts(data.index.balloons[row.aux]))];
  }
  return out;
}

// bubble is a balloon: the operation, with the object in the place of its expression.
function bubble(data, b) {
  const [before, object, behind] = b.text;
  const name = data.index.object ? data.objectName(data.index.object) : object;
  const code = element("code", "", [before]);
  if (object) code.append(element("span", "instance", name, { title: object }), behind);
  return element("span", "bubble", [element("span", "rank", `${b.rank}`, { title: `rank ${b.rank}` }), element("span", "unhappened", "did not happen:"), code]);
}

// whereabouts says in which function an operation is, and how far from the branch.
function whereabouts(b) {
  const calls = b.distance === 0 ? "" : b.distance === 1 ? ", 1 call away" : `, ${b.distance} calls away`;
  return b.func ? `in ${short(b.func)}${calls}` : "";
}
