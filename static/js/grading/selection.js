// What can be done with words that are selected in the text: comment on them, or highlight them.

import { placeInSource } from "./places.js";

const NEAR = 8; // pixels between the selection and the buttons

export class SelectionTools {
  constructor({ tools, blocks, pdfs, comments }) {
    Object.assign(this, { tools, blocks, pdfs });
    for (const button of tools.querySelectorAll("button")) {
      button.addEventListener("pointerdown", (event) => event.preventDefault()); // what is selected stays selected
      button.addEventListener("click", () => {
        const { block, place } = this.selected();
        this.tools.hidden = true;
        if (!block || button.dataset.do === "search") return;
        if (button.dataset.do === "highlight") comments.highlight(block, place);
        else comments.write(block, null, place);
      });
    }
    document.addEventListener("selectionchange", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.#show(), 150);
    });
    document.addEventListener("scroll", () => (tools.hidden = true), { passive: true, capture: true });
  }

  // The passage in whose text something is selected, or the page of a PDF with the place on it.
  selected() {
    const onPage = this.pdfs.selected();
    if (onPage) return { block: onPage.frame, place: onPage.place };
    return { block: this.#passage(), place: null };
  }

  // What is selected, formulas as their author wrote them.
  words() {
    const block = this.#passage();
    const source = block?.querySelector(".passage-source").textContent;
    const place = block && placeInSource(block.querySelector(".block"), source);
    const words = place ? [...source].slice(place.start, place.end).join("") : getSelection().toString();
    return words.replace(/\s+/g, " ").trim();
  }

  #passage() {
    const selection = getSelection();
    if (!selection.rangeCount || selection.isCollapsed) return null;
    const { commonAncestorContainer: inside } = selection.getRangeAt(0);
    const element = inside.nodeType === Node.ELEMENT_NODE ? inside : inside.parentElement;
    const text = element.closest(".passage > .block");
    return text && this.blocks.byId(text.parentElement.dataset.block);
  }

  #show() {
    const { block } = this.selected();
    this.tools.hidden = !block;
    if (!block) return;
    const at = getSelection().getRangeAt(0).getBoundingClientRect();
    const { width, height } = this.tools.getBoundingClientRect();
    const above = at.top - height - NEAR;
    this.tools.style.left = `${Math.max(NEAR, Math.min(at.left, innerWidth - width - NEAR))}px`;
    this.tools.style.top = `${above > NEAR ? above : at.bottom + NEAR}px`;
  }
}
