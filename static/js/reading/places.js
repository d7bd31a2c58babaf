// Where somebody is in a document: the passage at the top of the pane and how far it is scrolled past, which stays
// right when formulas above are set later or the window becomes narrower. Kept for each document in this browser.

import { keep, kept } from "../kept.js";

const NAME = "touchstone:places";
const MOST = 200;

// What scrolls around an element: a pane, or on a page without panes the window.
export function scrollerOf(element) {
  for (let around = element; around && around !== document.body; around = around.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(around).overflowY) && around.scrollHeight > around.clientHeight) return around;
  }
  return document.scrollingElement;
}

const topOf = (scroller) => (scroller === document.scrollingElement ? 0 : scroller.getBoundingClientRect().top);

export class Places {
  constructor({ name, passages }) {
    Object.assign(this, { name, passages });
  }

  // The first passage of which something can be seen.
  here() {
    const scroller = this.passages.length ? scrollerOf(this.passages[0]) : document.scrollingElement;
    const top = topOf(scroller);
    let low = 0;
    for (let high = this.passages.length - 1; low < high; ) {
      const middle = (low + high) >> 1;
      if (this.passages[middle].getBoundingClientRect().bottom > top + 1) high = middle;
      else low = middle + 1;
    }
    const passage = this.passages[low];
    return passage ? { id: passage.id, offset: passage.getBoundingClientRect().top - topOf(scroller) } : null;
  }

  go(place) {
    const passage = document.getElementById(place.id);
    if (!passage) return;
    const scroller = scrollerOf(passage);
    const now = passage.getBoundingClientRect().top - topOf(scroller);
    scroller.scrollTop += now - place.offset;
  }

  // Brings an element to a quarter of the height of its pane, where the eye looks for it.
  show(element) {
    const scroller = scrollerOf(element);
    const height = scroller === document.scrollingElement ? window.innerHeight : scroller.clientHeight;
    const now = element.getBoundingClientRect().top - topOf(scroller);
    scroller.scrollTop += now - Math.max(12, height / 4);
  }

  keep() {
    const place = this.here();
    if (!place || !this.name) return;
    const { [this.name]: _, ...others } = kept(NAME) ?? {};
    const last = Object.entries(others).slice(1 - MOST);
    keep(NAME, { ...Object.fromEntries(last), [this.name]: place });
  }

  kept() {
    return kept(NAME)?.[this.name];
  }
}
