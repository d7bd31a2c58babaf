// Following a reference, and the way back: the browser's Back and a button return to exactly where one was.

const FLASH = 1600; // milliseconds for which the target of a jump is marked

// The element that a link inside the document leads to: of a block with several equations the one that is named.
export function targetOf(link) {
  const address = link.getAttribute("href") ?? "";
  const block = address.startsWith("#") ? document.getElementById(decodeURIComponent(address.slice(1))) : null;
  const named = /^\((.+)\)$/.exec(link.textContent.trim());
  if (!block || !named) return block;
  const tagged = (formula) => (formula.dataset.latex ?? formula.textContent).includes(`\\tag{${named[1]}}`);
  return [...block.querySelectorAll('.math[data-display="true"]')].find(tagged) ?? block;
}

export class Jumps {
  constructor({ places, outline, chip, reach }) {
    Object.assign(this, { places, outline, chip, reach });
    history.scrollRestoration = "manual";
    addEventListener("popstate", ({ state }) => {
      if (state?.place) places.go(state.place);
      this.#offer(state?.from ?? "");
    });
    chip.addEventListener("click", () => history.back());
    this.#offer(history.state?.from ?? "");
  }

  // Goes to an element of the text and remembers where that was asked from.
  to(element) {
    const place = this.places.here();
    const from = this.#name(place);
    history.replaceState({ ...history.state, place }, "");
    history.pushState({ from }, "");
    this.reach(element);
    this.places.show(element);
    this.#flash(element);
    this.#offer(from);
  }

  back() {
    if (this.chip.hidden) return;
    history.back();
  }

  #name(place) {
    const entry = place && this.outline.at(document.getElementById(place.id));
    return entry?.name || (entry && this.outline.words(entry).slice(0, 40)) || "where you were";
  }

  #offer(from) {
    this.chip.hidden = !from;
    this.chip.querySelector("span").textContent = from;
  }

  #flash(element) {
    clearTimeout(this.flashing);
    this.reached?.classList.remove("reached");
    this.reached = element;
    element.classList.add("reached");
    this.flashing = setTimeout(() => element.classList.remove("reached"), FLASH);
  }
}
