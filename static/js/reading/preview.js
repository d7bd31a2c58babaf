// What a reference leads to, shown next to it: after a moment of hovering, on focus, and by the first tap.

import { targetOf } from "./jumps.js";

const MOMENT = 300; // milliseconds
const LINKS = 'a.reference, .block a[href^="#"]';

export class Preview {
  constructor({ box, root, go, keepBeside }) {
    Object.assign(this, { box, root, go, keepBeside });
    this.body = box.querySelector(".preview-body");
    root.addEventListener("pointerover", (event) => event.pointerType !== "touch" && this.#hovered(event.target.closest(LINKS)));
    box.addEventListener("pointerenter", () => clearTimeout(this.timer));
    box.addEventListener("pointerleave", () => this.#soon(() => this.close()));
    root.addEventListener("focusin", ({ target }) => {
      if (target.matches(LINKS) && target.matches(":focus-visible")) this.show(target);
      else if (!box.contains(target)) this.close();
    });
    root.addEventListener("click", (event) => this.#clicked(event));
    this.body.addEventListener("click", (event) => this.#clicked(event));
    box.querySelector('[data-do="go"]').addEventListener("click", () => this.#go());
    box.querySelector('[data-do="keep"]').addEventListener("click", () => this.#keep());
    box.querySelector('[data-do="close"]').addEventListener("click", () => this.close(true));
  }

  get open() {
    return !this.box.hidden;
  }

  show(link) {
    const target = targetOf(link);
    if (!target) return;
    this.link = link;
    const block = target.closest(".passage, .block, .part") ?? target;
    const copy = (block.querySelector(":scope > .block") ?? block).cloneNode(true);
    copy.removeAttribute("id");
    for (const element of copy.querySelectorAll("[id]")) element.removeAttribute("id");
    for (const element of copy.querySelectorAll("a, [tabindex]")) element.tabIndex = -1;
    this.body.replaceChildren(copy);
    this.box.hidden = false;
    this.#place(link);
  }

  close(andFocus = false) {
    clearTimeout(this.timer);
    if (!this.open) return;
    this.box.hidden = true;
    if (andFocus) this.link?.focus({ preventScroll: true });
    this.link = null;
  }

  #soon(act) {
    clearTimeout(this.timer);
    this.timer = setTimeout(act, MOMENT);
  }

  #hovered(link) {
    if (link && link !== this.link) this.#soon(() => this.show(link));
    else if (!link && !this.open) clearTimeout(this.timer);
    else if (!link) this.#soon(() => this.close());
    else clearTimeout(this.timer);
  }

  #clicked(event) {
    const link = event.target.closest(LINKS);
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const target = targetOf(link);
    if (!target) return;
    event.preventDefault();
    if (event.pointerType === "touch" && this.link !== link) {
      this.show(link);
      return;
    }
    this.close();
    this.go(target);
  }

  #go() {
    const target = targetOf(this.link);
    this.close();
    this.go(target);
  }

  #keep() {
    const title = this.link.textContent;
    const copy = this.body.firstElementChild;
    this.close();
    this.keepBeside(`Reference ${title}`, copy);
  }

  // Below the link, or above where there is more room; on a phone the style sheet makes it a sheet at the bottom.
  #place(link) {
    const at = link.getBoundingClientRect();
    const { width, height } = this.box.getBoundingClientRect();
    const left = Math.max(8, Math.min(at.left, innerWidth - width - 8));
    const below = at.bottom + 6 + height < innerHeight || at.top < innerHeight / 2;
    this.box.style.left = `${left}px`;
    this.box.style.top = below ? `${at.bottom + 6}px` : `${Math.max(8, at.top - height - 6)}px`;
  }
}
