// A document to be read: outline, go to, previews of references, the way back, a second document next to it.
// Used by the page on which an item is graded and by those on which it is read.

import { renderMath } from "../math.js";
import { openPdfs } from "../pdf/open.js";
import { Beside } from "./beside.js";
import { wireDivider } from "./divider.js";
import { GoTo } from "./goto.js";
import { Jumps } from "./jumps.js";
import { Outline } from "./outline.js";
import { Places } from "./places.js";
import { Preview } from "./preview.js";
import { Sheets } from "./sheets.js";

const byId = (id) => document.getElementById(id);

export class Book {
  constructor({ name, steps = [], sheets = {} }) {
    const paper = byId("paper");
    const bench = byId("split");
    const proofs = [...paper.querySelectorAll(".proof")];
    const tools = byId("reading-tools");
    this.outline = new Outline({ nav: byId("outline"), proofs, steps });
    bench.classList.toggle("no-outline", this.outline.empty);
    const asPhone = matchMedia("(width < 44rem)");
    this.beside = new Beside({
      parts: [...paper.querySelectorAll(":scope > .part")],
      pane: byId("second"),
      buttons: byId("beside-buttons"),
      bench,
      openAtFirst: !asPhone.matches && proofs.length === 1,
    });
    this.places = new Places({ name, passages: this.outline.passages });
    this.jumps = new Jumps({
      places: this.places,
      outline: this.outline,
      chip: byId("back-chip"),
      reach: (element) => this.#reach(element),
    });
    this.asPhone = asPhone;
    this.preview = new Preview({
      box: byId("preview"),
      root: bench,
      go: (element) => this.go(element),
      keepBeside: (title, copy) => {
        this.beside.keep(title, copy);
        if (asPhone.matches) this.sheets.show("beside");
      },
    });
    this.goTo = new GoTo({ dialog: byId("go-to"), outline: this.outline, go: (element) => this.go(element) });
    this.sheets = new Sheets({
      body: document.body,
      buttons: [...document.querySelectorAll("[data-sheet]")],
      sheets: {
        outline: { element: byId("outline"), opened: () => this.#markPlace() },
        beside: { element: byId("second"), opened: () => this.beside.shown || this.beside.open("") },
        ...sheets,
      },
    });
    for (const divider of bench.querySelectorAll(":scope > .divider")) wireDivider(bench, divider);
    byId("dock").hidden = false;
    for (const button of document.querySelectorAll('[data-sheet="beside"]')) button.hidden = !this.beside.documents.length;
    for (const button of document.querySelectorAll('[data-sheet="outline"]')) button.hidden = this.outline.empty;
    const find = byId("go-to-button");
    find.addEventListener("click", () => this.goTo.open());
    tools.hidden = false;
    // A number that its author wrote as a formula is not a text to every screen reader.
    for (const formula of bench.querySelectorAll("a.reference > .math:only-child")) {
      formula.parentElement.setAttribute("aria-label", formula.dataset.source.replace(/[\\${}]/g, ""));
    }
    this.outline.nav.addEventListener("click", (event) => this.#chosen(event));
    paper.addEventListener("scroll", () => this.#scrolled(), { passive: true, capture: true });
    addEventListener("scroll", () => this.#scrolled(), { passive: true });
    addEventListener("pagehide", () => this.places.keep());
    this.#openWhereItWasLeft();
    openPdfs(bench);
  }

  go(element) {
    this.jumps.to(element);
  }

  // Something of the page's own next to the text, or in a drawer where there is no room.
  lend(title, content) {
    this.beside.lend(title, content);
    if (this.asPhone.matches) this.sheets.show("beside");
  }

  // In a pane of its own, or in a drawer where there is no room for one; the same key closes the drawer.
  showOutline() {
    if (this.outline.empty) return;
    if (this.sheets.open === "outline") {
      this.sheets.close();
      return;
    }
    if (!this.outline.nav.clientHeight) this.sheets.show("outline", document.activeElement);
    (this.outline.marked ?? this.outline.shown[0]).link.focus();
  }

  // What Esc closes, the topmost first; false when nothing is open.
  escape() {
    if (this.preview.open) this.preview.close(true);
    else if (this.sheets.open) this.sheets.close();
    else return false;
    return true;
  }

  async #openWhereItWasLeft() {
    const left = this.places.kept();
    let moved = false;
    if (left) this.places.go(left);
    const move = () => (moved = true);
    for (const kind of ["wheel", "touchmove", "keydown", "pointerdown"]) addEventListener(kind, move, { once: true, passive: true });
    await renderMath();
    if (left && !moved) this.places.go(left);
    this.#markPlace();
  }

  #chosen(event) {
    const link = event.target.closest("a");
    const entry = this.outline.shown.find((one) => one.link === link);
    if (!entry || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    this.sheets.close();
    this.go(entry.element);
  }

  #reach(element) {
    if (this.beside.reach(element)) return;
    element.closest("details")?.setAttribute("open", "");
    const passage = element.closest(".passage");
    passage?.focus({ preventScroll: true });
  }

  #scrolled() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.#markPlace());
    clearTimeout(this.keeping);
    this.keeping = setTimeout(() => this.places.keep(), 400);
  }

  #markPlace() {
    const place = this.places.here();
    if (place) this.outline.mark(byId(place.id));
  }
}
