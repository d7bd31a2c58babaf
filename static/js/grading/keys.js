// The keyboard: single keys act unless somebody is typing; Ctrl+Enter submits from anywhere.

const TYPING = 'textarea, select, [contenteditable], input:not([type="radio"], [type="checkbox"])';

export class Keys {
  constructor({ bindings, questions, blocks, book, selection, comments, search, steps, pair, submit, help }) {
    Object.assign(this, { bindings, questions, blocks, book, selection, comments, search, steps, pair, submit, help });
    this.current = null;
    document.addEventListener("focusin", (event) => {
      const question = event.target.closest?.(".question");
      if (question) this.#mark(question);
    });
    document.addEventListener("keydown", (event) => this.#pressed(event));
    if (questions.length) this.#mark(questions[0]);
  }

  #pressed(event) {
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.submit();
      return;
    }
    const typing = event.target.matches?.(TYPING);
    if (event.key === "Escape" && !this.book.escape() && typing) this.#leave(event.target);
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.#act(event)) event.preventDefault();
  }

  #act(event) {
    if (/^[0-9]$/.test(event.key)) return this.#answer(event.key);
    const { blocks, comments } = this;
    const acts = {
      "next-question": () => this.#step(1),
      "previous-question": () => this.#step(-1),
      questions: () => this.#step(0),
      "next-passage": () => blocks.step(1),
      "previous-passage": () => blocks.step(-1),
      "go-to": () => this.book.goTo.open(),
      back: () => this.book.jumps.back(),
      beside: () => this.book.beside.openNext(),
      outline: () => this.book.showOutline(),
      comment: () => this.#onPlace((block, place) => comments.write(block, null, place)),
      highlight: () => this.#onPlace((block, place) => comments.highlight(block, place)),
      source: () => blocks.current && blocks.toggleSource(blocks.current),
      wrong: () => this.#label("incorrect"),
      right: () => this.#label("correct"),
      "not-assessed": () => this.#label("not_assessed"),
      search: () => this.search?.open(),
      link: () => this.pair?.toggle("linked"),
      help: () => this.help(),
    };
    const act = acts[this.bindings.actionOf(event.key)];
    if (!act) return false;
    if (event.key.startsWith("Arrow") && event.target.closest?.(".divider, .paper, summary")) return false;
    act();
    return true;
  }

  // What is selected or read in a PDF; else the current passage.
  #onPlace(act) {
    const { frame, place } = this.selection.pdfs.selected() ?? this.selection.pdfs.read() ?? {};
    const block = frame ?? this.blocks.current;
    if (block) act(block, place ?? null);
  }

  #answer(key) {
    const radio = this.current?.querySelector(`[data-key="${key}"] input`);
    if (!radio) return false;
    this.book.sheets.reveal(radio);
    radio.click();
    radio.focus();
    return true;
  }

  #step(by) {
    const at = this.questions.indexOf(this.current);
    const next = this.questions[Math.min(this.questions.length - 1, Math.max(0, at + by))];
    const field = next.querySelector("input:checked") ?? next.querySelector("input, textarea");
    this.book.sheets.reveal(next);
    field.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
    field.scrollIntoView({ block: "nearest" }); // of a question that is taller than its column
  }

  // Of the question one is at, if it is about steps; otherwise of the first that is.
  #label(value) {
    const labelled = this.steps.find(({ fieldset }) => fieldset === this.current) ?? this.steps[0];
    if (this.blocks.current) labelled?.mark(this.blocks.current, value);
  }

  #leave(field) {
    const home = field.closest(".question, .passage");
    field.blur();
    home?.focus({ preventScroll: true });
  }

  #mark(question) {
    this.current?.classList.remove("current");
    question.classList.add("current");
    this.current = question;
  }
}
