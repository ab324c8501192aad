"use strict";

// The data of the page: blocks that are decoded when they are looked at.

const kinds = { goroutine: 0, call: 1, mark: 2, lapse: 3, loop: 4, object: 5, branch: 6, balloon: 7 };

// block is the bytes of a block.
async function block(id) {
  const packed = Uint8Array.from(atob(document.getElementById(id).textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function blockJSON(id) {
  return JSON.parse(new TextDecoder().decode(await block(id)));
}

// Varints reads varints as package encoding/binary of Go writes them. Numbers may be
// too large for the operators on bits.
class Varints {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  more() {
    return this.at < this.bytes.length;
  }

  unsigned() {
    let b = this.bytes[this.at++];
    if (b < 0x80) return b;
    let value = b & 0x7f;
    for (let scale = 128; b >= 0x80; scale *= 128) {
      b = this.bytes[this.at++];
      value += (b & 0x7f) * scale;
    }
    return value;
  }

  signed() {
    const v = this.unsigned();
    return v % 2 === 0 ? v / 2 : -(v + 1) / 2;
  }
}

// decodeRows decodes a chunk of rows, column by column.
function decodeRows(bytes) {
  const read = new Varints(bytes);
  const n = read.unsigned();
  const rows = {
    what: new Uint32Array(n), size: new Uint32Array(n), parent: new Int32Array(n), first: new Uint32Array(n),
    time: new Float64Array(n), end: new Float64Array(n), object: new Uint32Array(n), aux: new Uint32Array(n),
  };
  const differences = (column) => {
    for (let i = 0, last = 0; i < n; i++) column[i] = last += read.signed();
  };
  for (let i = 0; i < n; i++) rows.what[i] = read.unsigned();
  for (let i = 0; i < n; i++) rows.size[i] = read.unsigned();
  differences(rows.parent);
  for (let i = 0, behind = 0; i < n; i++) {
    if (rows.size[i] === 0) continue;
    rows.first[i] = behind + read.signed();
    behind = rows.first[i] + rows.size[i];
  }
  differences(rows.time);
  for (let i = 0; i < n; i++) {
    const length = read.signed();
    rows.end[i] = length === 0 ? -1 : rows.time[i] + length;
  }
  differences(rows.object);
  const same = new Map();
  for (let i = 0; i < n; i++) {
    rows.aux[i] = (same.get(rows.what[i]) ?? 0) + read.signed();
    same.set(rows.what[i], rows.aux[i]);
  }
  return rows;
}

// short is the name of a function or type with each package's last element alone, as in sources.
function short(name) {
  return name.replace(/[\w.~-]+(?:\/[\w.~-]+)*\//g, "");
}

// Data is the history.
class Data {
  static async open() {
    const index = await blockJSON("index");
    const data = new Data(index);
    await Promise.all([data.chunk(0), data.readObjects()]);
    return data;
  }

  constructor(index) {
    this.index = index;
    this.chunks = new Map(); // decoded
    this.coming = new Map(); // promises of chunks
    this.files = new Map();
    this.badges = new Map();
    for (let i = 0; i < index.badges.length; i += 2) this.badges.set(index.badges[i], index.badges[i + 1]);
  }

  // chunk decodes the nth chunk of rows, once.
  chunk(n) {
    if (!this.coming.has(n)) {
      const decode = async () => {
        if (n * this.index.chunk < this.index.rows) this.chunks.set(n, decodeRows(await block("rows-" + n)));
      };
      this.coming.set(n, decode());
    }
    return this.coming.get(n);
  }

  // row is a row, or undefined if its chunk is not decoded yet.
  row(id) {
    const n = Math.floor(id / this.index.chunk);
    const c = this.chunks.get(n);
    if (!c) return undefined;
    const i = id - n * this.index.chunk;
    return {
      id, what: this.what(c.what[i]), size: c.size[i], parent: c.parent[i], first: c.first[i],
      time: c.time[i], end: c.end[i], object: c.object[i], aux: c.aux[i],
    };
  }

  async load(id) {
    await this.chunk(Math.floor(id / this.index.chunk));
    return this.row(id);
  }

  // ancestors are the rows that a row is in, and itself, from the top.
  async ancestors(id) {
    const list = [];
    for (let at = id; at >= 0;) {
      const row = await this.load(at);
      list.unshift(row);
      at = row.parent;
    }
    return list;
  }

  // what is all that rows of the same place have in common.
  what(n) {
    const [kind, fn, file, line, column, text, outcome, code] = this.index.whats[n];
    const t = this.index.texts;
    return { number: n, kind, fn, file, line, column, text: t[text], outcome: t[outcome], code: t[code] };
  }

  func(n) {
    const [name, file, line, last] = this.index.funcs[n];
    return { name, file, line, last };
  }

  async readObjects() {
    const read = new Varints(await block("objects"));
    const n = this.index.objects;
    this.objects = { type: new Uint32Array(n), number: new Uint32Array(n), file: new Uint32Array(n), line: new Uint32Array(n), first: new Float64Array(n), events: new Float64Array(n) };
    const count = this.index.types.map(() => 0);
    for (let i = 0; i < n; i++) {
      const type = read.unsigned();
      this.objects.type[i] = type;
      this.objects.number[i] = ++count[type];
      for (const column of ["file", "line", "first", "events"]) this.objects[column][i] = read.unsigned();
    }
  }

  // objectName is the name of an object by its number, from 1.
  objectName(n) {
    return n ? `<${this.index.types[this.objects.type[n - 1]]}:${this.objects.number[n - 1]}>` : "nil";
  }

  // objectNumber is the number of an object by its name; 0 if there is none.
  objectNumber(name) {
    const m = /^<?(.*):(\d+)>?$/.exec(name.trim());
    if (!m) return 0;
    const type = this.index.types.indexOf(m[1]);
    for (let i = 0; type >= 0 && i < this.index.objects; i++) {
      if (this.objects.type[i] === type && this.objects.number[i] === Number(m[2])) return i + 1;
    }
    return 0;
  }

  // place is a place as it is shown: the file with its folder.
  place(file, line) {
    return `${this.index.files[file].split("/").slice(-2).join("/")}:${line}`;
  }

  // placeElement shows a place, and the whole path to whom asks for it.
  placeElement(file, line) {
    return element("span", "place", this.place(file, line), { title: `${this.index.files[file]}:${line}` });
  }

  // file is a source.
  file(n) {
    if (!this.files.has(n)) this.files.set(n, blockJSON("file-" + n));
    return this.files.get(n);
  }

  // lines is a set of lines that activations executed, by its number from 1.
  async lines(n) {
    if (!this.paths) {
      this.paths = block("paths").then((bytes) => {
        const read = new Varints(bytes);
        const all = [];
        while (read.more()) {
          const set = new Set();
          for (let left = read.unsigned(), line = 0; left > 0; left--) set.add((line += read.unsigned()));
          all.push(set);
        }
        return all;
      });
    }
    return (await this.paths)[n - 1];
  }

  // scan finds the rows that fit, in the order of their times. It looks at all of them,
  // and lets the browser do other things in between; it stops when stopped() is true.
  async scan(fits, stopped) {
    const found = [];
    const chunks = Math.ceil(this.index.rows / this.index.chunk);
    for (let n = 0; n < chunks; n++) {
      await this.chunk(n);
      if (stopped()) return [];
      const c = this.chunks.get(n);
      for (let i = 0; i < c.what.length; i++) {
        if (fits(c, i)) found.push({ id: n * this.index.chunk + i, time: c.time[i] });
      }
    }
    found.sort((a, b) => a.time - b.time || a.id - b.id);
    return found.map((f) => f.id);
  }
}
