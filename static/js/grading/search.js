// The search next to the text: opened by a button or a key, filled by the server, counted but not told.

import { renderMath } from "../math.js";

const MOST = 1000; // as annotation/grading/answers.py

export class SearchPanel {
  constructor({ address, count, buttons, book, blocks, comments, selection, changed }) {
    Object.assign(this, { address, count, buttons, book, blocks, comments, selection, changed });
    this.pane = document.createElement("div");
    this.pane.className = "search-panel";
    this.pane.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#ask(new URLSearchParams(new FormData(event.target)));
    });
    this.pane.addEventListener("click", ({ target }) => {
      const button = target.closest("[data-insert]");
      if (button) this.#insert(button.dataset.insert);
    });
    for (const button of buttons) {
      button.hidden = false;
      button.addEventListener("pointerdown", (event) => event.preventDefault()); // what is selected stays selected
      button.addEventListener("click", () => this.open());
    }
  }

  // With the selected words in the box, ready to be sent or changed.
  async open() {
    const words = this.selection.words();
    this.book.lend("Search", this.pane);
    if (!this.pane.hasChildNodes()) await this.#load("");
    const box = this.pane.querySelector('[name="q"]');
    if (!box) return;
    if (words) box.value = words.slice(0, box.maxLength);
    box.select();
    box.focus();
  }

  async #ask(said) {
    if (!said.get("q").trim() || !(await this.#load(`?${said}`))) return;
    this.count.value = Math.min(MOST, Number(this.count.value) + 1);
    this.changed();
    this.pane.querySelector("#panel-results").focus();
    renderMath(this.pane);
  }

  // Fetches the panel; true if it has results, be they none.
  async #load(query) {
    this.asked?.abort();
    this.asked = new AbortController();
    try {
      const reply = await fetch(this.address + query, { signal: this.asked.signal, redirect: "manual" });
      const kind = reply.headers.get("Content-Type") ?? "";
      if (reply.status === 404 || !kind.startsWith("text/html") || reply.status >= 500) throw new Error();
      const page = new DOMParser().parseFromString(await reply.text(), "text/html");
      this.pane.replaceChildren(...page.body.children);
      return Boolean(this.pane.querySelector("#panel-results"));
    } catch (error) {
      if (error.name !== "AbortError") this.#say("The search did not answer. Your draft is safe; try again, or reload the page.");
      return false;
    }
  }

  #say(words) {
    const note = document.createElement("p");
    note.className = "problem";
    note.role = "alert";
    note.textContent = words;
    for (const old of this.pane.querySelectorAll(".problem")) old.remove();
    this.pane.append(note);
  }

  // Into the comment that is being written, or a new one on the current passage.
  #insert(citation) {
    this.book.sheets.close();
    if (!this.comments.editor?.isConnected) {
      if (!this.blocks.current) this.blocks.step(1);
      if (!this.blocks.current) return;
      this.comments.write(this.blocks.current);
    }
    const text = this.comments.editor.querySelector("textarea");
    const before = text.value.slice(0, text.selectionStart);
    const space = before && !/\s$/.test(before) ? " " : "";
    text.setRangeText(space + citation, text.selectionStart, text.selectionEnd, "end");
    text.dispatchEvent(new Event("input", { bubbles: true }));
    text.focus();
    this.comments.editor.scrollIntoView({ block: "nearest" });
  }
}
