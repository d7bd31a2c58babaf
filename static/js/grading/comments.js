// Comments in the text: an editor under the block, a list in the form, all kept in the draft as `remarks`.

import { renderMath } from "../math.js";
import { BankPicker } from "./bank-picker.js";
import { placeInSource, rangeOf } from "./places.js";
import { where, words } from "./words.js";

const ORDER = ["fatal", "major", "minor", "typo", "highlight"];

// Offsets in the block's source: what is selected in the source view or in the text, otherwise the whole block.
function anchorOf(block) {
  const whole = { start: 0, end: Number(block.dataset.length) };
  const source = block.querySelector(".passage-source");
  // HTML reads \r\n as one character: where the page's copy of the source differs in length, offsets would lie.
  if ([...source.textContent].length !== whole.end) return whole;
  if (source.hidden) return placeInSource(block.querySelector(".block"), source.textContent) ?? whole;
  const selection = getSelection();
  const inside = selection.rangeCount && source.contains(selection.anchorNode) && source.contains(selection.focusNode);
  if (!inside || selection.isCollapsed) return whole;
  const range = selection.getRangeAt(0);
  // Offsets count code points, as the server does.
  const before = [...source.textContent.slice(0, range.startOffset)].length;
  return { start: before, end: before + [...selection.toString()].length };
}

// The words that a comment is about, read back from its offsets; empty for a whole block.
function quoted(block, { start, end, anchor }) {
  if (anchor) return anchor.quote?.exact ?? "";
  if (!block || (start === 0 && end === Number(block.dataset.length))) return "";
  return [...block.querySelector(".passage-source").textContent].slice(start, end).join("");
}

export class Comments {
  constructor({ form, blocks, pdfs, outline, template, list, count, dock, none, bank, changed }) {
    Object.assign(this, { form, blocks, pdfs, outline, template, list, count, dock, none, bank, changed });
    this.editor = null;
    for (const block of blocks.blocks) {
      const tool = block.querySelector('[data-tool="comment"]');
      tool.addEventListener("mousedown", (event) => event.preventDefault()); // what is selected stays selected
      tool.addEventListener("click", () => this.write(block));
    }
    this.draw();
  }

  // `place` is what is commented on, if not what is selected: offsets, or the anchor on a page of a PDF.
  // What is typed is part of the draft at once; "Cancel" takes it back.
  write(block, index = null, place = null) {
    this.leave();
    const fresh = () => ({ severity: "minor", kind: "", text: "", ...(place ?? anchorOf(block)) });
    const before = index === null ? null : this.form.remarks[index];
    const remark = before ?? fresh();
    getSelection().removeAllRanges(); // Firefox would keep it, and the next comment would be on the same words
    const editor = this.template.content.firstElementChild.cloneNode(true);
    editor.querySelector(`[value="${remark.severity}"]`).checked = true;
    editor.querySelector('[name="kind"]').value = remark.kind ?? "";
    editor.querySelector('[name="text"]').value = remark.text;
    const about = quoted(block, remark);
    if (about) {
      const quote = editor.querySelector(".quote");
      quote.textContent = `On: ${about}`;
      quote.hidden = false;
    }
    this.editor = editor;
    this.writing = { block, remark, before, now: before };
    const keep = () => {
      if (!this.#take()) editor.querySelector("textarea").focus();
      else this.#finish(block);
    };
    let warned = false;
    const warn = () => {
      warned = true;
      editor.querySelector(".bank-status").textContent = "Press Escape again to discard what you have written.";
    };
    const cancel = () => {
      this.#put(before);
      this.#finish(block);
    };
    editor.querySelector('[data-do="keep"]').addEventListener("click", keep);
    editor.querySelector('[data-do="cancel"]').addEventListener("click", cancel);
    editor.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) keep();
      else if (event.key === "Escape") this.writing.now === before || warned ? cancel() : warn();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    editor.addEventListener("input", (event) => {
      event.stopPropagation();
      warned = false;
      if (!this.#take()) this.#put(before);
      this.changed();
    });
    block.append(editor);
    new BankPicker({ editor, bank: this.bank });
    editor.querySelector("textarea").focus();
  }

  // Marks what is selected, or the whole passage, without a word about it.
  highlight(block, place = null) {
    const kept = { block: block.dataset.block, ...(place ?? anchorOf(block)), severity: "highlight", kind: "", text: "" };
    getSelection().removeAllRanges();
    this.form.remarks = [...this.form.remarks, kept];
    this.draw();
    this.changed();
  }

  // Adds comments that are not there yet; says how many.
  add(remarks) {
    const key = ({ block, text, severity, anchor }) => JSON.stringify([block, text, severity, anchor?.rects]);
    const known = new Set(this.form.remarks.map(key));
    const fresh = remarks.filter((remark) => !known.has(key(remark)));
    this.form.remarks = [...this.form.remarks, ...fresh];
    this.draw();
    if (fresh.length) this.changed();
    return fresh.length;
  }

  // Ends what is being written, if anything is, as it stands.
  leave() {
    if (!this.editor) return;
    this.#take();
    this.#finish();
  }

  // Without a word about what is being written: the draft is about to be another.
  close() {
    this.editor?.remove();
    this.editor = null;
  }

  #finish(block = null) {
    this.close();
    block?.focus({ preventScroll: true });
    this.draw();
    this.changed();
  }

  // Puts what the editor says into the draft; false if it has no text.
  #take() {
    const { block, remark } = this.writing;
    const text = this.editor.querySelector('[name="text"]').value.trim();
    if (!text) return false;
    this.#put({
      block: block.dataset.block,
      start: remark.start,
      end: remark.end,
      severity: this.editor.querySelector('[name="severity"]:checked').value,
      kind: this.editor.querySelector('[name="kind"]').value,
      text,
      ...(remark.anchor ? { anchor: remark.anchor } : {}),
    });
    return true;
  }

  // The comment that is being written becomes `remark`, wherever it stands by now; null removes it.
  #put(remark) {
    const { now } = this.writing;
    const at = this.form.remarks.indexOf(now);
    const own = remark ? [remark] : [];
    this.form.remarks = at < 0 ? [...this.form.remarks, ...own] : this.form.remarks.toSpliced(at, 1, ...own);
    this.writing.now = remark;
  }

  remove(index) {
    if (this.editor && this.form.remarks[index] === this.writing.now) this.close();
    this.form.remarks = this.form.remarks.toSpliced(index, 1);
    this.draw();
    this.changed();
  }

  draw() {
    for (const place of document.querySelectorAll("[data-comments]")) place.replaceChildren();
    this.list.replaceChildren();
    this.form.remarks.forEach((remark, index) => {
      const block = this.blocks.byId(remark.block);
      if (remark.severity !== "highlight" && !remark.anchor) block?.querySelector("[data-comments]").append(this.#card("p", remark, block));
      this.list.append(this.#line(remark, index, block));
    });
    this.#mark();
    this.pdfs.draw(this.form.remarks);
    this.count.textContent = this.dock.textContent = this.form.remarks.length;
    this.none.hidden = this.form.remarks.length > 0;
    this.outline.count(this.form.remarks.toSorted((one, other) => ORDER.indexOf(one.severity) - ORDER.indexOf(other.severity)));
    for (const place of [this.list, ...document.querySelectorAll("[data-comments]:not(:empty)")]) renderMath(place);
  }

  // Colours the words that are highlighted or commented on, where the browser can.
  #mark() {
    if (!globalThis.Highlight) return;
    const ranges = { highlighted: [], commented: [] };
    for (const remark of this.form.remarks) {
      const block = this.blocks.byId(remark.block);
      if (!block || remark.anchor || (remark.severity !== "highlight" && !quoted(block, remark))) continue;
      const range = rangeOf(block.querySelector(".block"), block.querySelector(".passage-source").textContent, remark);
      if (range) ranges[remark.severity === "highlight" ? "highlighted" : "commented"].push(range);
    }
    for (const [name, found] of Object.entries(ranges)) CSS.highlights.set(name, new Highlight(...found));
  }

  #card(tag, remark, block) {
    const card = document.createElement(tag);
    card.className = `comment ${remark.severity}`;
    const head = document.createElement("strong");
    head.textContent = remark.kind ? `${remark.severity}, ${remark.kind.replace("_", " ")}` : remark.severity;
    if (tag === "li" && where(remark)) head.append(`, ${where(remark)}`);
    const about = quoted(block, remark);
    if (about) {
      const quote = document.createElement("q");
      quote.textContent = about;
      head.append(" on ", quote);
    }
    card.append(head, " ", ...words(remark.text));
    return card;
  }

  #line(remark, index, block) {
    const line = this.#card("li", remark, block);
    const tools = document.createElement("span");
    tools.className = "line-tools";
    tools.append(
      this.#button("Show", () => this.#show(remark)),
      ...(remark.severity === "highlight" ? [] : [this.#button("Edit", async () => this.write(await this.#show(remark), index))]),
      this.#button("Remove", () => this.remove(index)),
    );
    line.append(tools);
    return line;
  }

  async #show(remark) {
    if (remark.anchor) return this.pdfs.show(remark);
    const block = this.blocks.byId(remark.block);
    this.blocks.go(block);
    return block;
  }

  #button(label, act) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "link";
    button.textContent = label;
    button.addEventListener("click", act);
    return button;
  }
}
