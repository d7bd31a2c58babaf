// The outline of a document, read from the page: sections, theorems and their kin, numbered equations, figures and
// steps, each with its number and title. "Go to" searches the same entries, and those of the references as well.

import { renderMath } from "../math.js";

const TAG = /\\tag\*?\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}/g;

const latexOf = (formula) => formula.dataset.latex ?? formula.textContent;

const inOneLine = (text) => text.replace(/\s+/g, " ").trim();

function asFormula(latex, source = `$${latex}$`) {
  const formula = document.createElement("span");
  formula.className = "math";
  formula.dataset.display = "false";
  formula.dataset.source = source;
  formula.textContent = latex;
  return formula;
}

// Words and formulas of a heading, without its number and without links.
function copied(element, without) {
  const copy = element.cloneNode(true);
  for (const node of copy.querySelectorAll(without)) node.remove();
  const pieces = [];
  (function collect(node) {
    for (const child of node.childNodes) {
      if (child.nodeType === Node.TEXT_NODE) pieces.push(child.data.replace(/\s+/g, " "));
      else if (child.classList?.contains("math")) pieces.push(asFormula(latexOf(child), child.dataset.source));
      else collect(child);
    }
  })(copy);
  return pieces;
}

const wordsOf = (pieces) => inOneLine(pieces.map((piece) => piece.dataset?.source ?? piece.textContent ?? piece).join(""));

function theorem(element, head) {
  const title = head.querySelector(".thm-title");
  const name = inOneLine(wordsOf(copied(head, ".thm-title"))).replace(/\s*\.$/, "");
  const pieces = title ? copied(title, "sup") : []; // a title may be a citation and nothing else
  if (pieces.length && typeof pieces[0] === "string") pieces[0] = pieces[0].replace(/^\s*\(/, "");
  if (pieces.length && typeof pieces.at(-1) === "string") pieces.push(pieces.pop().replace(/\)\s*$/, ""));
  return { name, title: pieces, level: 2, statement: true };
}

function entriesOf(block, passage) {
  const found = [];
  const heading = block.querySelector("h2, h3, h4, h5, h6");
  if (heading && block.classList.contains("kind-heading")) {
    const number = inOneLine(heading.querySelector(".sec-number")?.textContent ?? "");
    const title = copied(heading, ".sec-number");
    found.push({ name: number, title, level: Number(heading.tagName[1]) > 2 ? 1 : 0, section: true, element: passage });
  }
  for (const box of block.querySelectorAll(".box-title")) {
    found.push({ name: "", title: copied(box, "a"), level: 0, section: true, element: passage });
  }
  for (const head of block.querySelectorAll(".thm-head")) {
    found.push({ ...theorem(block, head), element: block.querySelector(".thm-head") === head ? passage : head });
  }
  const proof = block.querySelector(".proof-head");
  const proves = proof ? inOneLine(wordsOf(copied(proof, "script"))).replace(/\.$/, "") : "";
  if (proves && !/^proof$/i.test(proves)) found.push({ name: "", title: [proves], level: 2, element: passage });
  for (const caption of block.querySelectorAll(".caption-label")) {
    const title = copied(caption.closest(".caption"), ".caption-label, a");
    found.push({ name: inOneLine(caption.textContent).replace(/\.$/, ""), title, level: 2, element: passage });
  }
  block.querySelectorAll('.math[data-display="true"]').forEach((formula, at) => {
    const tags = [...latexOf(formula).matchAll(TAG)].map(([, tag]) => tag);
    if (!tags.length) return;
    formula.id ||= `${passage.id}-formula-${at + 1}`;
    for (const tag of tags) {
      const shown = /[\\$^_]/.test(tag) ? ["(", asFormula(tag.replaceAll("$", "")), ")"] : null;
      found.push({ name: `(${tag.replace(/[\\${}]/g, "")})`, shown, title: [], level: 2, element: formula });
    }
  });
  for (const label of block.querySelectorAll(".bib-label, .footnote-number")) {
    const body = label.closest(".bibliography, .footnote");
    const name = label.matches(".bib-label") ? inOneLine(label.textContent) : `Footnote ${inOneLine(label.textContent)}`;
    const words = inOneLine(body.textContent).replace(inOneLine(label.textContent), "").trim().slice(0, 80);
    found.push({ name, title: [words], level: 2, searchedOnly: true, element: passage });
  }
  return found;
}

export class Outline {
  // `steps` are those of a stepwise question: {name, blocks}, the ids of the passages of each.
  constructor({ nav, proofs, steps = [] }) {
    this.nav = nav;
    this.passages = proofs.flatMap((proof) => [...proof.querySelectorAll(".passage[data-block]")]);
    this.entries = [];
    for (const proof of proofs) {
      const own = [...proof.querySelectorAll(".passage[data-block]")];
      const found = own.flatMap((passage) => entriesOf(passage.querySelector(".block"), passage));
      for (const step of steps) {
        const element = own.find((passage) => passage.dataset.block === step.blocks[0]);
        if (element) found.push({ name: `Step ${step.name}`, title: [], level: 2, element });
      }
      found.sort((one, other) => (one.element.compareDocumentPosition(other.element) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
      this.entries.push(...found.map((entry) => ({ ...entry, proof, passage: entry.element.closest(".passage") })));
    }
    let section = "";
    for (const entry of this.entries) {
      if (entry.section) section = inOneLine(`${entry.name} ${wordsOf(entry.title)}`);
      else entry.within = section;
    }
    this.shown = this.entries.filter((entry) => !entry.searchedOnly);
    this.#draw(proofs);
  }

  get empty() {
    return this.shown.length === 0;
  }

  words(entry) {
    return inOneLine(`${entry.name} ${wordsOf(entry.title)}`);
  }

  // The entry that a place of the text belongs to: the last one at or before it.
  at(element) {
    const before = (entry) =>
      entry.element === element ||
      entry.element.contains(element) ||
      Boolean(entry.element.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING);
    let low = 0;
    for (let high = this.shown.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (before(this.shown[middle])) low = middle + 1;
      else high = middle;
    }
    const entry = this.shown[low - 1];
    return entry?.proof.contains(element) ? entry : undefined;
  }

  mark(element) {
    const entry = this.at(element);
    if (entry === this.marked) return;
    this.marked?.link.removeAttribute("aria-current");
    this.marked = entry;
    entry?.link.setAttribute("aria-current", "location");
    if (this.nav.clientHeight) entry?.link.scrollIntoView({ block: "nearest", behavior: "instant" });
  }

  // How many comments each part has, and how serious the worst is: [{block, severity}], the most serious first.
  count(remarks) {
    for (const entry of this.shown) {
      entry.link.querySelector(".count")?.remove();
      entry.link.removeAttribute("data-severity");
    }
    const counted = new Map();
    for (const { block, severity } of remarks) {
      const passage = this.passages.find(({ dataset }) => dataset.block === block);
      const entry = passage && this.at(passage);
      if (entry) counted.set(entry, [...(counted.get(entry) ?? []), severity]);
    }
    for (const [entry, severities] of counted) {
      const count = document.createElement("span");
      count.className = "count";
      const words = document.createElement("span");
      words.className = "visually-hidden";
      words.textContent = severities.length === 1 ? " comment" : " comments";
      count.append(String(severities.length), words);
      entry.link.append(count);
      entry.link.dataset.severity = severities[0];
    }
  }

  #draw(proofs) {
    if (this.empty) return;
    const title = document.createElement("h2");
    title.textContent = "Outline";
    this.nav.append(title);
    for (const proof of proofs) {
      const own = this.shown.filter((entry) => entry.proof === proof);
      if (proofs.length > 1 && own.length) {
        const name = document.createElement("h3");
        name.textContent = proof.querySelector("h2").textContent;
        this.nav.append(name);
      }
      const list = document.createElement("ol");
      list.append(...own.map((entry) => this.#item(entry)));
      this.nav.append(list);
    }
    renderMath(this.nav);
  }

  #item(entry) {
    const item = document.createElement("li");
    item.dataset.level = entry.level;
    const link = document.createElement("a");
    link.href = `#${entry.element.id || entry.passage.id}`;
    if (entry.name) {
      const name = document.createElement("b");
      name.append(...(entry.shown ?? [entry.name]));
      link.append(name, " ");
    }
    const title = document.createElement("span");
    title.append(...entry.title.map((piece) => piece.cloneNode?.(true) ?? piece));
    link.append(title);
    entry.link = link;
    item.append(link);
    return item;
  }
}
