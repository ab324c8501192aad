
// The page as a whole: what is selected, the address, the keys.
class Page {
  constructor(data) {
    this.data = data;
    const get = (id) => document.getElementById(id);
    this.turn = new InTurn();
    this.tree = new Tree(data, get("tree"), this.turn, (row) => this.selected(row));
    this.source = new Source(data, get("code"), get("files"), (balloon) => this.go(data.index.balloons[balloon].rows[0]));
    const panes = { go: (row) => this.go(row), opened: () => get("tree").focus() };
    this.balloons = new Balloons(data, { ...panes, show: (step) => this.turn.do(() => this.source.show(step)) });
    this.objects = new Objects(data, { ...panes, chosen: (n) => this.looksAt(n) });
    this.search = new Search(data, panes);
    const told = data.index.before.length + data.index.after.length;
    const empty = { balloons: data.index.balloons.length + told === 0, object: data.index.objects === 0 };
    this.tabs = ["balloons", "object", "search"].filter((name) => !empty[name]);
    for (const name in empty) get("tab-" + name).hidden = get("pane-" + name).hidden = empty[name];
    get("legend").classList.toggle("no-balloons", data.index.balloons.length === 0);
    for (const name of this.tabs) get("tab-" + name).addEventListener("click", () => this.tab(name));
    document.querySelector("[role=tablist]").addEventListener("keydown", (e) => this.tabKey(e));
    get("search").addEventListener("submit", (e) => {
      e.preventDefault();
      this.find(get("find").value);
    });
    get("next").addEventListener("click", () => this.step(1));
    get("previous").addEventListener("click", () => this.step(-1));
    get("help-button").addEventListener("click", () => get("help").showModal());
    document.addEventListener("keydown", (e) => this.key(e));
    window.addEventListener("hashchange", () => this.turn.do(() => this.restore()));
    window.addEventListener("popstate", () => this.turn.do(() => this.restore()));
    const n = data.index.balloons.reduce((sum, b) => sum + b.rows.length, 0);
    get("summary").textContent = `${data.index.events.toLocaleString("en")} events` + (data.index.object ? `, ${data.objectName(data.index.object)}` : "") + (n ? `, ${n} operations that did not happen` : "");
    get("notes").append(...data.index.notes.map((text) => element("li", "", text)));
  }

  // begin shows what the address says, or else the first balloon, or the beginning.
  async begin() {
    if (await this.restore()) return;
    const { index } = this.data;
    await this.unfoldOnly(0);
    this.tab(this.tabs[0]);
    await this.objects.look(index.object);
    const first = this.balloons.choice.items.map((i) => index.balloons[i.balloon]?.rows[0]).find((row) => row !== undefined);
    const event = index.object ? this.objects.choice.items[0] : undefined;
    await this.tree.select(first ?? event ?? 0, true);
  }

  // unfoldOnly unfolds a row, and what is the only one in it.
  async unfoldOnly(id) {
    for (let row = await this.data.load(id); row && row.size > 0; row = await this.data.load(row.first)) {
      await this.tree.unfold(row);
      if (row.size !== 1) break;
    }
  }

  // selected shows the source of a row: of a call, the function.
  async selected(row) {
    const path = await this.data.ancestors(row.id);
    const activation = path.findLast((r) => r.what.kind === kinds.call);
    const place = row.what.kind === kinds.call ? this.data.func(row.what.fn) : placeOf(this.data, row);
    if (place) await this.source.show(place, activation);
    this.activation = activation;
    this.address();
  }

  // go goes to a row, in a way that the browser's button leads back from.
  go(row) {
    return this.turn.do(() => this.jump(row));
  }

  async jump(row) {
    if (row === undefined) return;
    this.leaves = true;
    await this.tree.select(row, true);
  }

  step(direction) {
    return this.turn.do(async () => this.jump(await this.balloons.step(this.tree.selected, direction)));
  }

  looksAt(object) {
    this.tree.object = object;
    this.tree.list.refresh();
    this.address();
  }

  async find(text) {
    this.tab("search");
    await this.search.find(text);
    this.address();
    if (this.search.choice.items.length > 0) document.getElementById("found").focus();
  }

  tab(name) {
    this.shown = name;
    for (const t of this.tabs) {
      const tab = document.getElementById("tab-" + t);
      tab.setAttribute("aria-selected", t === name);
      tab.tabIndex = t === name ? 0 : -1;
      document.getElementById("pane-" + t).hidden = t !== name;
    }
  }

  tabKey(e) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
    if (!step) return;
    this.tab(this.tabs[(this.tabs.indexOf(this.shown) + step + this.tabs.length) % this.tabs.length]);
    document.getElementById("tab-" + this.shown).focus();
  }

  // address writes into the address what is looked at.
  address() {
    const p = new URLSearchParams({ row: this.tree.selected });
    if (this.objects.object) p.set("object", this.data.objectName(this.objects.object));
    if (this.search.text) p.set("find", this.search.text);
    p.set("view", this.shown ?? this.tabs[0]);
    const hash = "#" + p;
    if (hash === this.hash) return;
    this.hash = hash;
    window.history[this.leaves ? "pushState" : "replaceState"](null, "", hash);
    this.leaves = false;
  }

  // restore shows what the address says; false if it says nothing.
  async restore() {
    if (location.hash.length < 2) return false;
    if (location.hash === this.hash) return true;
    this.hash = location.hash;
    const p = new URLSearchParams(location.hash.slice(1));
    const row = Number(p.get("row"));
    const id = Number.isInteger(row) && row >= 0 && row < this.data.index.rows ? row : 0;
    this.tab(this.tabs.includes(p.get("view")) ? p.get("view") : this.tabs[0]);
    this.tree.selected = id;
    const text = p.get("find") ?? "";
    document.getElementById("find").value = text;
    const looked = this.objects.look(this.data.objectNumber(p.get("object") ?? ""));
    if (text !== this.search.text) await this.search.find(text);
    await looked;
    await this.tree.select(id, true);
    return true;
  }

  key(e) {
    if (!plain(e) || document.getElementById("help").open) return;
    if (e.key === "Escape") return document.getElementById("tree").focus();
    if (e.target.closest("input, select, textarea")) return;
    const inTree = e.target === document.getElementById("tree");
    const act = {
      "/": () => document.getElementById("find").select(),
      "?": () => document.getElementById("help").showModal(),
      n: () => this.step(1),
      p: () => this.step(-1),
      o: () => this.turn.do(() => this.lookAtRow()),
      c: () => this.turn.do(() => this.toCall()),
      Enter: inTree ? () => document.getElementById("code").focus() : undefined,
    }[e.key];
    if (!act) return;
    e.preventDefault();
    act();
  }

  // lookAtRow shows the events of the selected row's object, or lets one be chosen.
  async lookAtRow() {
    if (!this.tabs.includes("object")) return;
    const row = await this.data.load(this.tree.selected);
    this.tab("object");
    await this.objects.look(row.what.kind === kinds.balloon ? this.data.index.object : row.object);
    document.getElementById(this.objects.object ? "events" : "object").focus();
  }

  // toCall shows where the selected activation, or the one that the row is in, was called.
  async toCall() {
    if (!this.activation || this.activation.what.line === 0) return;
    const path = await this.data.ancestors(this.activation.id);
    const caller = path.slice(0, -1).findLast((r) => r.what.kind === kinds.call);
    await this.source.show(this.activation.what, caller);
    document.getElementById("code").focus();
  }
}

Data.open().then(async (data) => {
  const page = new Page(data);
  await page.begin();
  document.getElementById("tree").focus();
  document.documentElement.dataset.ready = "true"; // for those who drive the page
}).catch((e) => {
  document.getElementById("notes").append(element("li", "", `The page cannot be shown: ${e}`));
});
