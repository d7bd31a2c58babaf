// Comments on pages of PDFs: marks on what is drawn, regions, and the way to the page of a comment.

import { marksOf, regionOn, selectedOn } from "../pdf/anchors.js";
import { viewOf } from "../pdf/open.js";

export class Pdfs {
  constructor({ root, reach }) {
    this.reach = reach;
    this.views = new Map(); // the beginning of its pages' ids to the view
    this.remarks = [];
    root.addEventListener("pdf-opened", ({ detail: { view } }) => {
      this.views.set(view.root.dataset.block, view);
      view.offerRegions((frame, box) => this.write?.(frame, { start: 0, end: 0, anchor: regionOn(view, Number(frame.dataset.page), box) }));
    });
    root.addEventListener("pdf-drawn", ({ detail: { view, number } }) => this.#mark(view, number));
  }

  // What is selected on a page of a PDF: its frame, and the place that a comment would have; null if nothing is.
  selected() {
    const selection = getSelection();
    const node = selection.anchorNode;
    const frame = (node?.nodeType === Node.ELEMENT_NODE ? node : node?.parentElement)?.closest(".pdf-page");
    const view = frame && this.views.get(frame.dataset.block.replace(/-page\d+$/, ""));
    const anchor = view && selectedOn(view, Number(frame.dataset.page));
    return anchor ? { frame, place: { start: 0, end: 0, anchor } } : null;
  }

  // The page that is read, as a whole, where the focus is in a PDF or there is nothing else; null otherwise.
  read() {
    const around = document.activeElement.closest(".pdf-view") ?? (document.querySelector(".passage") ? null : document.querySelector(".proof .pdf-view"));
    const view = around && this.views.get(around.dataset.block);
    const frame = view?.frames[view.current - 1];
    if (!view?.drawn.get(view.current)?.viewport) return null;
    const box = { left: 0, top: 0, width: frame.clientWidth, height: frame.clientHeight };
    return { frame, place: { start: 0, end: 0, anchor: regionOn(view, view.current, box) } };
  }

  draw(remarks) {
    this.remarks = remarks;
    for (const view of this.views.values()) for (const number of view.drawn.keys()) this.#mark(view, number);
  }

  // Brings the page of a comment into sight; its frame.
  async show({ block, anchor }) {
    const root = document.querySelector(`.pdf-view[data-block="${CSS.escape(block.replace(/-page\d+$/, ""))}"]`);
    this.reach(root);
    const view = await viewOf(root);
    const [, height] = view.sizes[anchor.page - 1];
    view.go(anchor.page, (height - anchor.rects[0][3]) * view.scale);
    return view.frames[anchor.page - 1];
  }

  #mark(view, number) {
    const frame = view.frames[number - 1];
    const drawn = view.drawn.get(number);
    if (!drawn?.viewport) return;
    for (const mark of frame.querySelectorAll(".pdf-mark")) mark.remove();
    for (const { block, anchor, severity } of this.remarks) {
      if (block === frame.dataset.block) frame.append(...marksOf(drawn, anchor, anchor.quote ? severity : `${severity} whole`));
    }
  }
}
