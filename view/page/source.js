
const keywords = new Set("break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var".split(" "));

// tokens splits the lines of a file into words with classes: comments, strings,
// keywords.
function tokens(text) {
  const lines = [[]];
  const pattern = /\/\/[^\n]*|\/\*[^]*?\*\/|`[^`]*`|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[\p{L}_][\p{L}\p{N}_]*|\n|[^\p{L}_"'`/\n]+|[^]/gu;
  for (const [word] of text.matchAll(pattern)) {
    let name = "";
    if (word.startsWith("//") || word.startsWith("/*")) name = "comment";
    else if ("\"'`".includes(word[0])) name = "string";
    else if (keywords.has(word)) name = "keyword";
    word.split("\n").forEach((part, i) => {
      if (i > 0) lines.push([]);
      if (part) lines[lines.length - 1].push([part, name]);
    });
  }
  return lines;
}

// A Source shows a file, and which of its lines were executed.
class Source {
  // follow is told the number of a balloon that was clicked on.
  constructor(data, scroller, files, follow) {
    this.data = data;
    this.scroller = scroller;
    this.files = files;
    this.lines = [];
    this.cursor = 0;
    data.index.files.forEach((name, i) => files.append(element("option", "", name, { value: i })));
    files.addEventListener("change", () => this.show({ file: Number(files.value), line: 1 }));
    this.list = new List(scroller, {
      count: () => this.lines.length,
      render: (n) => this.render(n),
      choose: (n, e) => {
        const b = e.target.closest("[data-balloon]");
        if (b) follow(Number(b.dataset.balloon));
        else this.move(n);
      },
    });
    scroller.addEventListener("keydown", (e) => keysOf(e, this.list, this.cursor, (n) => this.move(n)));
  }

  // show shows a place, and what an activation executed: a set of lines, within the
  // lines of its function.
  async show({ file, line }, activation) {
    const asked = (this.asked = {});
    const source = await this.data.file(file);
    const here = activation?.aux ? await this.data.lines(activation.aux) : undefined;
    if (asked !== this.asked) return; // something else was asked for
    if (this.file !== file) {
      this.file = file;
      this.files.value = file;
      this.lines = tokens(source.text);
      this.counts = new Map(source.statements.map((n, i) => [n, source.counts[i]]));
      this.omitted = new Map();
      this.data.index.balloons.forEach((b, i) => {
        if (b.file === file) this.omitted.set(b.line, [...(this.omitted.get(b.line) ?? []), i]);
      });
      this.list.first = 0;
    }
    const fn = activation ? this.data.func(activation.what.fn) : undefined;
    this.here = fn && fn.file === file ? here : undefined;
    this.fn = fn && fn.file === file ? fn : undefined;
    this.line = line;
    this.cursor = line - 1;
    this.list.show(line - 1, true);
  }

  move(n) {
    this.cursor = n;
    this.list.show(n);
  }

  render(n) {
    const line = n + 1;
    const count = this.counts.get(line);
    const omitted = this.omitted.get(line);
    let state = "", means = "";
    if (omitted) [state, means] = ["omitted", "did not happen to the object"];
    else if (this.here?.has(line)) [state, means] = ["here", "executed here"];
    else if (count > 0) [state, means] = ["ran", "executed elsewhere"];
    else if (count === 0) [state, means] = ["never", "never executed"];
    const text = element("code", "", this.lines[n].map(([word, name]) => (name ? element("span", name, word) : word)));
    const e = element("div", `line ${state}`, [
      element("span", "number", `${line}`),
      element("span", "count", count > 0 ? `${count}×` : count === 0 ? "–" : "", { title: means }),
      text,
    ], { role: "listitem" });
    if (means) e.append(element("span", "only-heard", means));
    if (line === this.line) e.setAttribute("aria-current", "true");
    if (n === this.cursor) e.classList.add("cursor");
    for (const i of omitted ?? []) {
      e.append(element("button", "badge", `did not happen (${this.data.index.balloons[i].rank})`, { type: "button", "data-balloon": i, title: "to the branch that decided against it" }));
    }
    return e;
  }
}
