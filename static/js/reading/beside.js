// A second document next to the proof: statement, reference solution, guidance, or a passage of the proof itself.

import { keep, kept } from "../kept.js";
import { fitAgain } from "../math.js";

const NAME = "touchstone:beside";

export class Beside {
  constructor({ parts, pane, buttons, bench, openAtFirst }) {
    Object.assign(this, { pane, bench });
    this.title = pane.querySelector("h2");
    this.text = pane.querySelector(".second-text");
    this.documents = parts.map((part) => {
      const [summary, ...content] = part.children;
      const box = document.createElement("div");
      box.append(...content);
      part.remove();
      const title = summary.textContent.trim();
      box.dataset.title = title; // on paper it has no heading else, and the statement is printed even if it is closed
      box.toggleAttribute("data-first", part.open);
      return { title, content: box };
    });
    this.buttons = this.documents.map(({ title }) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = title;
      button.addEventListener("click", () => (this.shown === title ? this.close() : this.open(title)));
      return button;
    });
    buttons.append(...this.buttons);
    buttons.hidden = this.buttons.length === 0;
    // They stay in the page, so that references lead to them.
    this.text.append(...this.documents.map(({ content }) => content));
    pane.querySelector('[data-do="close"]').addEventListener("click", () => this.close());
    const before = kept(NAME);
    const first = this.documents.find(({ title }) => title === before) ?? (before === null ? this.documents[0] : undefined);
    if (first && openAtFirst) this.#show(first.title, first.content);
    else this.#show("", null);
  }

  open(title) {
    const found = this.documents.find((one) => one.title === title) ?? this.documents[0];
    if (!found) return;
    this.#show(found.title, found.content);
    keep(NAME, found.title);
  }

  openNext() {
    const at = this.documents.findIndex(({ title }) => title === this.shown);
    const next = this.documents[at + 1];
    if (next) this.open(next.title);
    else this.close();
  }

  // A copy of something, for as long as nothing else is opened.
  keep(title, copy) {
    this.copy?.remove();
    this.copy = document.createElement("div");
    this.copy.append(copy);
    this.text.append(this.copy);
    this.#show(title, this.copy);
  }

  // Something else than a document, such as the search, for as long as nothing else is opened.
  lend(title, content) {
    if (content.parentElement !== this.text) this.text.append(content);
    this.#show(title, content);
  }

  close() {
    const button = this.buttons.find((one) => one.textContent === this.shown);
    this.#show("", null);
    keep(NAME, "");
    button?.focus({ preventScroll: true });
  }

  // Opens the document that `element` is in, if it is in one of them.
  reach(element) {
    const found = this.documents.find(({ content }) => content.contains(element));
    if (found && found.title !== this.shown) this.#show(found.title, found.content);
    return Boolean(found);
  }

  #show(title, content) {
    this.shown = title;
    this.pane.hidden = !content;
    this.bench.classList.toggle("beside", Boolean(content));
    this.title.textContent = title;
    for (const child of this.text.children) child.hidden = child !== content;
    for (const button of this.buttons) button.setAttribute("aria-pressed", String(button.textContent === title));
    this.text.scrollTop = 0;
    fitAgain();
  }
}
