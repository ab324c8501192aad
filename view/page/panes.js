
// A Choice is a list of rows, one of which can be selected.
class Choice {
  constructor(scroller, { render, choose, open }) {
    this.scroller = scroller;
    this.items = [];
    this.at = 0;
    this.chooseItem = choose;
    this.list = new List(scroller, {
      count: () => this.items.length,
      render: (n) => {
        const e = render(this.items[n]);
        e.id = `${scroller.id}-${n}`;
        e.setAttribute("role", "option");
        e.setAttribute("aria-selected", n === this.at);
        e.setAttribute("aria-posinset", n + 1);
        e.setAttribute("aria-setsize", this.items.length);
        return e;
      },
      choose: (n, e) => this.move(n, e),
    });
    scroller.addEventListener("keydown", (e) => {
      if (keysOf(e, this.list, this.at, (n) => this.move(n))) return;
      if (e.key === "Enter" && this.items.length > 0) {
        e.preventDefault();
        e.stopPropagation();
        open(this.items[this.at], e);
      }
    });
  }

  fill(items) {
    this.items = items;
    this.at = Math.max(0, Math.min(this.at, items.length - 1));
    this.list.refresh();
  }

  move(n, e) {
    this.mark(n);
    if (this.items[n] !== undefined) this.chooseItem(this.items[n], e);
  }

  mark(n) {
    this.at = n;
    this.scroller.setAttribute("aria-activedescendant", `${this.scroller.id}-${n}`);
    this.list.show(n);
  }
}

// rowOf renders a row of the history in a list, with the function that it is in.
function rowOf(data, id, again) {
  const row = data.row(id);
  if (!row) {
    data.load(id).then(again);
    return element("div", "row", "…");
  }
  const e = rowElement(data, row, { flat: true });
  const w = row.what;
  if (w.kind !== kinds.call && w.kind !== kinds.goroutine && w.kind !== kinds.balloon && w.kind !== kinds.branch) {
    e.querySelector(".space").before(element("span", "where", `in ${short(data.func(w.fn).name)}`));
  }
  return e;
}

// Balloons are the operations that did not happen.
class Balloons {
  constructor(data, { go, opened, show }) {
    this.data = data;
    this.go = go;
    this.show = show;
    this.unfolded = new Set();
    this.writes = document.getElementById("writes");
    this.choice = new Choice(document.getElementById("balloons"), {
      render: (item) => this.render(item),
      choose: (item, e) => {
        if (e?.target.closest(".twisty")) this.toggle(item.balloon);
        else this.follow(item);
      },
      open: (item) => {
        this.follow(item);
        opened();
      },
    });
    this.choice.scroller.addEventListener("keydown", (e) => {
      const item = this.choice.items[this.choice.at];
      if (item?.balloon !== undefined && ((e.key === "ArrowRight" && !this.unfolded.has(item.balloon)) || (e.key === "ArrowLeft" && this.unfolded.has(item.balloon)))) {
        e.preventDefault();
        this.toggle(item.balloon);
      }
    });
    this.writes.addEventListener("change", () => this.fill());
    this.fill();
  }

  // fill lists the balloons by rank, and below an unfolded one why the branch decided so and each
  // of its decisions; before and after them what no branch decided.
  fill() {
    const steps = (list, balloon) => list.map(([text, file, line, depth]) => ({ step: { text, file, line, depth }, balloon }));
    const items = steps(this.data.index.before);
    const all = this.data.index.balloons.map((b, i) => ({ b, i })).filter(({ b }) => b.writes || !this.writes.checked);
    all.sort((x, y) => x.b.rank - y.b.rank);
    for (const { b, i } of all) {
      items.push({ balloon: i, decision: 0 });
      if (!this.unfolded.has(i)) continue;
      items.push(...steps(b.why, i));
      if (b.rows.length > 1) b.rows.forEach((_, n) => items.push({ balloon: i, decision: n, inside: true }));
    }
    items.push(...steps(this.data.index.after));
    this.choice.fill(items);
  }

  toggle(i) {
    if (!this.unfolded.delete(i)) this.unfolded.add(i);
    this.fill();
  }

  follow({ balloon, decision, step }) {
    if (step) {
      if (step.file >= 0) this.show(step);
      return;
    }
    const row = this.data.index.balloons[balloon].rows[decision];
    if (row !== undefined) this.go(row);
  }

  render({ balloon, decision, inside, step }) {
    if (step) return this.renderStep(step, balloon !== undefined);
    const b = this.data.index.balloons[balloon];
    const branch = b.branchAt[0] >= 0 ? this.data.placeElement(...b.branchAt) : element("span", "place");
    const where = whereabouts(b);
    const why = element("span", "why", ["as ", element("code", "", b.branch), ` ${b.outcome}`, where ? `, ${where}` : ""]);
    if (inside) {
      const call = b.calls[decision] > 0 ? `, in call ${b.calls[decision]} of the function` : "";
      return element("div", "row decision", [element("span", "text", `decision ${decision + 1} of ${b.rows.length}${call}`)]);
    }
    const many = b.rows.length > 1;
    const unfolds = many || b.why.length > 0;
    const e = element("div", "row balloon", [
      element("span", "twisty", unfolds ? (this.unfolded.has(balloon) ? "▾" : "▸") : "", { "aria-hidden": "true" }),
      element("span", "first", [bubble(this.data, b)]),
      element("span", "second", [why, element("span", "space"), branch]),
    ]);
    const chips = e.querySelector(".first");
    if (b.writes) chips.append(element("span", "outcome", "changes it"));
    if (b.verified) chips.append(element("span", "outcome", `inverted: ${b.verified}`));
    if (many) chips.append(element("span", "outcome", `${b.rows.length} times`));
    if (b.rows.length === 0) chips.append(element("span", "outcome bad", "not in what is shown"));
    return e;
  }

  // renderStep renders a reason of a balloon, or what no branch decided.
  renderStep(step, reason) {
    const e = element("div", reason ? "row step" : "row step told", [
      element("span", "says", step.text, { title: step.text }), element("span", "space"),
      step.file >= 0 ? this.data.placeElement(step.file, step.line) : element("span", "place"),
    ]);
    e.style.setProperty("--depth", step.depth);
    return e;
  }

  // ordered are the rows of the balloons in the order of the tree.
  async ordered() {
    const all = [];
    for (const b of this.data.index.balloons) {
      if (!b.writes && this.writes.checked) continue;
      for (const row of b.rows) all.push(await this.path(row));
    }
    return all.sort(comparePaths);
  }

  async path(row) {
    return (await this.data.ancestors(row)).map((r) => r.id);
  }

  // step is the row of the next balloon behind a row, or before it, around the end.
  async step(row, direction) {
    const all = await this.ordered();
    if (all.length === 0) return undefined;
    const here = await this.path(row);
    const next = direction > 0 ? all.find((p) => comparePaths(p, here) > 0) ?? all[0] : all.findLast((p) => comparePaths(p, here) < 0) ?? all[all.length - 1];
    return next[next.length - 1];
  }
}

// comparePaths compares two rows, by what they are in, in the order of the tree.
function comparePaths(a, b) {
  for (let i = 0; i < a.length && i < b.length; i++) if (a[i] !== b[i]) return a[i] - b[i];
  return a.length - b.length;
}

// Objects shows the events of an object, or all objects.
class Objects {
  constructor(data, { go, opened, chosen }) {
    this.data = data;
    this.chosen = chosen;
    this.input = document.getElementById("object");
    this.object = 0;
    this.choice = new Choice(document.getElementById("events"), {
      render: (item) => (this.object ? rowOf(data, item, () => this.choice.list.refresh()) : this.renderObject(item)),
      choose: (item, e) => {
        if (this.object) go(item);
        else if (e) this.look(item);
      },
      open: (item) => {
        if (!this.object) return this.look(item);
        go(item);
        opened();
      },
    });
    this.input.addEventListener("input", () => {
      if (!this.object) this.fill();
    });
    document.getElementById("object-form").addEventListener("submit", (e) => {
      e.preventDefault();
      const n = data.objectNumber(this.input.value);
      this.input.setAttribute("aria-invalid", n === 0);
      if (n) this.look(n);
      else this.look(0, this.input.value);
    });
    document.getElementById("all-objects").addEventListener("click", () => this.look(0));
  }

  renderObject(n) {
    const o = this.data.objects;
    const i = n - 1;
    const made = o.file[i] ? `made at ${this.data.place(o.file[i] - 1, o.line[i])}` : "made by what is not recorded";
    return element("div", "row", [
      element("span", "instance", this.data.objectName(n)), element("span", "where", made),
      element("span", "space"), element("span", "time", `${o.events[i]} events from ${o.first[i]} on`),
    ]);
  }

  // fill lists the objects whose names hold what is typed.
  fill() {
    const wanted = this.input.value.trim().toLowerCase();
    const items = [];
    for (let n = 1; n <= this.data.index.objects; n++) {
      if (!wanted || this.data.objectName(n).toLowerCase().includes(wanted)) items.push(n);
    }
    this.choice.at = 0;
    this.choice.fill(items);
  }

  // look lists the events of an object, or with 0, all objects.
  async look(n, typed) {
    const asked = (this.asked = {});
    this.object = n;
    this.input.value = n ? this.data.objectName(n) : typed ?? "";
    this.input.removeAttribute("aria-invalid");
    this.choice.at = 0;
    this.chosen(n);
    if (!n) return this.fill();
    this.choice.fill([]);
    const balloons = n === this.data.index.object;
    const kindOf = this.data.index.whats.map((w) => w[0]);
    const rows = await this.data.scan(
      (c, i) => c.object[i] === n || (balloons && kindOf[c.what[i]] === kinds.balloon),
      () => asked !== this.asked);
    if (asked === this.asked) this.choice.fill(rows);
  }
}

// Search finds rows by function, text, or file:line.
class Search {
  constructor(data, { go, opened }) {
    this.data = data;
    this.status = document.getElementById("found-count");
    this.text = "";
    this.choice = new Choice(document.getElementById("found"), {
      render: (id) => rowOf(data, id, () => this.choice.list.refresh()),
      choose: go,
      open: (id) => {
        go(id);
        opened();
      },
    });
  }

  // fits says which whats hold a text, or are at a place.
  fits(text) {
    const wanted = text.toLowerCase();
    const place = /^(.+):(\d+)$/.exec(text);
    const t = this.data.index.texts;
    return this.data.index.whats.map(([kind, fn, file, line, , says, outcome, code], n) => {
      if (place) {
        const isFile = (f) => this.data.index.files[f] === place[1] || this.data.index.files[f]?.endsWith("/" + place[1]);
        const f = this.data.func(fn);
        if (line === Number(place[2]) && isFile(file)) return true;
        if (kind === kinds.call && f.line === Number(place[2]) && isFile(f.file)) return true;
      }
      if (kind === kinds.goroutine) return false;
      return [says, `${t[says]} ${t[outcome]}`, code].some((x) => (typeof x === "number" ? t[x] : x).toLowerCase().includes(wanted));
    });
  }

  async find(text) {
    const asked = (this.asked = {});
    this.text = text.trim();
    this.choice.fill([]);
    this.choice.at = 0;
    if (!this.text) {
      this.status.textContent = "Type into the search field and press Enter.";
      return;
    }
    this.status.textContent = "Searching…";
    const object = this.data.objectNumber(this.text);
    const fits = this.fits(this.text);
    const boxes = this.data.index.balloons.map((b) => `${b.text.join("")} ${b.func}`.toLowerCase().includes(this.text.toLowerCase()));
    const kindOf = this.data.index.whats.map((w) => w[0]);
    const rows = await this.data.scan(
      (c, i) => fits[c.what[i]] || (object > 0 && c.object[i] === object) || (kindOf[c.what[i]] === kinds.balloon && boxes[c.aux[i]]),
      () => asked !== this.asked);
    if (asked !== this.asked) return;
    this.status.textContent = rows.length === 0 ? `Nothing holds ${this.text}.` : rows.length === 1 ? "1 row" : `${rows.length} rows`;
    this.choice.fill(rows);
  }
}
