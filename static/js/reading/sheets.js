// Drawers and sheets where there is no room for panes: one is open at a time, Esc and a tap outside close it.

export class Sheets {
  // `sheets` are {name: {element, opened}}; `buttons` open them by their data-sheet.
  constructor({ body, sheets, buttons }) {
    Object.assign(this, { body, sheets });
    for (const button of buttons) {
      button.setAttribute("aria-expanded", "false");
      button.addEventListener("click", () => this.toggle(button.dataset.sheet, button));
    }
    this.buttons = buttons;
    document.addEventListener("pointerdown", ({ target }) => {
      if (!this.open || target.closest("[data-sheet], dialog, .preview")) return;
      if (!this.sheets[this.open].element.contains(target)) this.close();
    });
  }

  get open() {
    return this.body.dataset.open ?? "";
  }

  toggle(name, button) {
    if (this.open === name) this.close();
    else this.show(name, button);
  }

  show(name, button = null) {
    this.body.dataset.open = name;
    this.button = button;
    const { element, opened } = this.sheets[name];
    opened?.();
    this.#mark();
    if (button) this.#enter(element);
  }

  // Opens the sheet that hides `element`; where there are panes nothing is hidden.
  reveal(element) {
    if (element.checkVisibility()) return;
    const holder = Object.keys(this.sheets).find((name) => this.sheets[name].element.contains(element));
    if (holder) this.show(holder, document.activeElement);
  }

  close() {
    if (!this.open) return;
    delete this.body.dataset.open;
    this.#mark();
    this.button?.focus({ preventScroll: true });
    this.button = null;
  }

  // The focus goes to the first thing in sight that takes it, else to the sheet: the button may lie under it.
  #enter(sheet) {
    const fields = [...sheet.querySelectorAll("a, button, input, textarea, summary, [tabindex]")];
    const first = fields.find((field) => field.checkVisibility());
    const isInSight = first && first.getBoundingClientRect().bottom <= innerHeight;
    if (!isInSight) sheet.tabIndex = -1;
    (isInSight ? first : sheet).focus({ preventScroll: true });
  }

  #mark() {
    for (const button of this.buttons) button.setAttribute("aria-expanded", String(button.dataset.sheet === this.open));
  }
}
