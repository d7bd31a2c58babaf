// The proof's blocks: which one is current, and its source.

export class Blocks {
  constructor(paper) {
    this.blocks = [...paper.querySelectorAll(".passage")];
    this.current = null;
    for (const block of this.blocks) {
      for (const tool of block.querySelectorAll(".tool")) tool.hidden = false;
      block.querySelector('[data-tool="source"]').addEventListener("click", () => this.toggleSource(block));
      block.addEventListener("pointerdown", () => this.#mark(block));
      block.addEventListener("focusin", () => this.#mark(block));
    }
  }

  // A passage, or a page of a PDF that has been opened.
  byId(id) {
    return (
      this.blocks.find((block) => block.dataset.block === id) ??
      document.querySelector(`.pdf-page[data-block="${CSS.escape(id)}"]`) ??
      undefined
    );
  }

  step(by) {
    const at = this.blocks.indexOf(this.current);
    const next = this.blocks[Math.min(this.blocks.length - 1, Math.max(0, at + by))];
    if (next) this.go(next);
  }

  go(block) {
    this.#mark(block);
    block.focus({ preventScroll: true });
    block.scrollIntoView({ block: "nearest", behavior: "instant" });
  }

  toggleSource(block) {
    const source = block.querySelector(".passage-source");
    source.hidden = !source.hidden;
    block.querySelector(".block").hidden = !source.hidden;
    block.querySelector('[data-tool="source"]').setAttribute("aria-pressed", String(!source.hidden));
  }

  #mark(block) {
    if (this.current === block) return;
    this.current?.classList.remove("current");
    block.classList.add("current");
    this.current = block;
  }
}
