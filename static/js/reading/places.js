// Where somebody is in a document: the passage at the top of the pane and how far it is scrolled past, which stays
// right when formulas above are set later or the window becomes narrower. Kept for each document in this browser.

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
  constructor({ name, passages, cover = () => 0 }) {
    Object.assign(this, { name, passages, cover });
  }

  // The first passage of which something can be seen, below what covers the top of its pane.
  here() {
    const scroller = this.passages.length ? scrollerOf(this.passages[0]) : document.scrollingElement;
    const top = topOf(scroller) + this.cover();
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
    const passage = place && document.getElementById(place.id);
    if (!passage) return false;
    const scroller = scrollerOf(passage);
    const now = passage.getBoundingClientRect().top - topOf(scroller);
    scroller.scrollTop += now - place.offset;
    return true;
  }

  // Brings an element to a quarter of the height of its pane, where the eye looks for it.
  show(element) {
    const scroller = scrollerOf(element);
    const height = scroller === document.scrollingElement ? window.innerHeight : scroller.clientHeight;
    const now = element.getBoundingClientRect().top - topOf(scroller);
    scroller.scrollTop += now - Math.max(this.cover() + 12, height / 4);
  }

  keep() {
    const place = this.here();
    if (!place || !this.name) return;
    try {
      const { [this.name]: _, ...others } = JSON.parse(localStorage.getItem(NAME) ?? "{}");
      const kept = Object.entries(others).slice(1 - MOST);
      localStorage.setItem(NAME, JSON.stringify({ ...Object.fromEntries(kept), [this.name]: place }));
    } catch {
      // a convenience
    }
  }

  kept() {
    try {
      return JSON.parse(localStorage.getItem(NAME) ?? "{}")[this.name] ?? null;
    } catch {
      return null;
    }
  }
}
