// Which key does what: the page's own keys, or those that somebody chose in the list of keys. Kept in this browser.
// Digits answer questions and stay as they are; two actions never share a key.

import { keep, kept } from "../kept.js";

const NAME = "touchstone:keys";
const FIXED = /^[0-9]$|^(Enter|Escape|Tab| |Shift|Control|Alt|Meta|CapsLock|AltGraph)$/;
const WORDS = { ArrowDown: "↓", ArrowUp: "↑", ArrowLeft: "←", ArrowRight: "→" };

export class Bindings {
  constructor({ list, problem, reset }) {
    this.problem = problem;
    this.rows = [...list.querySelectorAll("[data-action]")];
    this.chosen = kept(NAME) ?? {};
    for (const row of this.rows) this.#wire(row);
    reset.hidden = false;
    reset.addEventListener("click", () => this.#keep({}));
    this.#show();
  }

  // The name of the action of a key, or undefined.
  actionOf(key) {
    return this.rows.find((row) => this.#keyOf(row) === key)?.dataset.action;
  }

  #keyOf({ dataset }) {
    return this.chosen[dataset.action] ?? dataset.key;
  }

  #wire(row) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "key";
    button.addEventListener("click", () => this.#listen(row, button));
    button.addEventListener("blur", () => this.#show());
    row.querySelector("dt").replaceChildren(button);
  }

  #listen(row, button) {
    button.textContent = "press a key";
    button.onkeydown = (event) => {
      if (event.key === "Tab" || (event.key.length > 1 && FIXED.test(event.key) && event.key !== "Escape")) return;
      event.preventDefault();
      event.stopPropagation();
      if (event.key !== "Escape") this.#bind(row, event.key);
      else this.#show();
    };
  }

  #bind(row, key) {
    const holder = this.rows.find((other) => other !== row && this.#keyOf(other) === key);
    if (FIXED.test(key)) this.#say(`${key} keeps its meaning; choose another key.`);
    else if (holder) this.#say(`${WORDS[key] ?? key} is taken: ${this.#meaning(holder)}. Choose another key, or change that one first.`);
    else this.#keep({ ...this.chosen, [row.dataset.action]: key });
  }

  #keep(chosen) {
    this.chosen = chosen;
    this.#say("");
    if (!keep(NAME, chosen)) {
      this.#say("This browser cannot store your keys: they last until you leave the page.");
    }
    this.#show();
  }

  #show() {
    for (const row of this.rows) {
      const button = row.querySelector("button");
      const key = this.#keyOf(row);
      button.onkeydown = null;
      button.textContent = WORDS[key] ?? key;
      button.setAttribute("aria-label", `${key}: ${this.#meaning(row)}. Change this key`);
    }
  }

  #meaning(row) {
    return row.querySelector("dd").textContent.trim();
  }

  #say(words) {
    this.problem.textContent = words;
    this.problem.hidden = !words;
  }
}
