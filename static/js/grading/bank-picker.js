// In an open comment: "/" at the start of a line searches the bank; Enter inserts; "Save to bank" keeps the text.
// The search field is a combobox: the keyboard stays in it, and the option that Enter takes is announced.

import { renderMath } from "../math.js";
import { words } from "./words.js";

const MOST = 8;
const OUTCOMES = {
  saved: "Saved to your bank.",
  known: "This is in your bank already.",
  kept: "Kept in this browser; it goes to your bank as soon as the server answers.",
};

export class BankPicker {
  constructor({ editor, bank }) {
    this.bank = bank;
    this.text = editor.querySelector('[name="text"]');
    this.panel = editor.querySelector(".bank");
    this.search = this.panel.querySelector("input");
    this.list = this.panel.querySelector('[role="listbox"]');
    this.status = editor.querySelector(".bank-status");
    this.at = 0;
    editor.querySelector('[data-do="bank"]').addEventListener("click", () => this.open());
    editor.querySelector('[data-do="save"]').addEventListener("click", () => this.#save());
    this.text.addEventListener("keydown", (event) => this.#typed(event));
    this.search.addEventListener("input", () => this.#draw());
    this.search.addEventListener("keydown", (event) => this.#key(event));
  }

  open() {
    this.panel.hidden = false;
    this.search.value = "";
    this.at = 0;
    this.#draw();
    this.search.focus();
  }

  #close() {
    this.panel.hidden = true;
    this.search.setAttribute("aria-expanded", "false");
    this.search.removeAttribute("aria-activedescendant");
    this.text.focus();
  }

  #typed(event) {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const before = this.text.value.slice(0, this.text.selectionStart);
    if (before && !before.endsWith("\n")) return;
    event.preventDefault();
    this.open();
  }

  #key(event) {
    const many = this.found.length;
    if (event.key === "ArrowDown" && many) this.#go((this.at + 1) % many);
    else if (event.key === "ArrowUp" && many) this.#go((this.at + many - 1) % many);
    else if (event.key === "Enter") this.#insert(this.found[this.at]);
    else if (event.key === "Escape") this.#close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #insert(chosen) {
    if (!chosen) return;
    const { selectionStart, selectionEnd } = this.text;
    this.text.setRangeText(chosen.text, selectionStart, selectionEnd, "end");
    this.text.dispatchEvent(new Event("input", { bubbles: true }));
    this.#close();
    this.#say("Inserted.");
  }

  #draw() {
    const all = this.bank.matching(this.search.value);
    this.found = all.slice(0, MOST);
    this.list.replaceChildren(...this.found.map((comment, index) => this.#option(comment, index)));
    this.search.setAttribute("aria-expanded", String(all.length > 0));
    this.#go(0);
    renderMath(this.list);
    this.#say(this.#count(all.length));
  }

  #count(many) {
    if (!this.bank.size) return "Your bank is empty. Write a comment and save it.";
    if (!many) return "No comment contains these words.";
    return many > MOST ? `${MOST} of ${many} comments; type more words` : `${many} comment${many === 1 ? "" : "s"}`;
  }

  #option({ text, shared }, index) {
    const option = document.createElement("li");
    option.id = `bank-option-${index}`;
    option.setAttribute("role", "option");
    option.append(...words(text));
    if (shared) {
      const mark = document.createElement("span");
      mark.className = "badge";
      mark.textContent = "shared";
      option.append(" ", mark);
    }
    option.addEventListener("mousedown", (event) => event.preventDefault()); // the search keeps the focus
    option.addEventListener("click", () => this.#insert(this.found[index]));
    return option;
  }

  #go(index) {
    this.at = index;
    [...this.list.children].forEach((option, number) => option.setAttribute("aria-selected", String(number === index)));
    const option = this.list.children[index];
    if (option) this.search.setAttribute("aria-activedescendant", option.id);
    else this.search.removeAttribute("aria-activedescendant");
    option?.scrollIntoView({ block: "nearest" });
  }

  async #save() {
    const text = this.text.value.trim();
    if (!text) {
      this.#say("Write a comment first.");
      this.text.focus();
      return;
    }
    const outcome = await this.bank.save(text);
    this.#say(OUTCOMES[outcome] ?? outcome);
  }

  #say(message) {
    this.status.textContent = message;
  }
}
