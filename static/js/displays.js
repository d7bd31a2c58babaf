// Wide displays. In this order: the width that is free next to the column; a slightly smaller size; broken after its
// relations, where KaTeX allows it; a smaller size that can still be read; and scrolled inside a box that says so.
//
// Reading a width after a change makes the browser lay out the page, so each step is made for all displays at once.

const SLIGHTLY = 0.86;
const READABLE = 0.7;
const SPARE = 0.98; // sizes in em are rounded, and glyphs reach a little beyond their boxes

const OVERHANG = 4; // pixels: the margin of the text holds them

const sizeOf = (size) => `${(SPARE * size).toFixed(3)}em`;

function reset({ element }) {
  element.classList.remove("overflows", "broken");
  element.style.fontSize = "";
  element.style.marginInlineEnd = "";
  element.removeAttribute("tabindex");
}

// How wide the formula is, how wide its box is, and how much wider it may become.
function measure(display) {
  const { element } = display;
  const formula = element.querySelector(".katex");
  const around = element.closest(".passage, .part, .second-text, main");
  const padding = around ? parseFloat(getComputedStyle(around).paddingInlineEnd) : 0;
  const free = around ? around.getBoundingClientRect().right - element.getBoundingClientRect().right - padding : 0;
  Object.assign(display, {
    natural: Math.max(formula?.getBoundingClientRect().width ?? 0, element.scrollWidth),
    width: element.clientWidth,
    free: Math.max(0, free),
  });
}

function widenOrShrink(display) {
  const { element, natural, width, free } = display;
  const wider = Math.min(free, natural - width + 2);
  if (wider > 0) element.style.marginInlineEnd = `${-wider}px`;
  display.ratio = (width + wider) / natural;
  if (display.ratio < SLIGHTLY) element.classList.add("broken");
  else if (display.ratio < 1) element.style.fontSize = sizeOf(display.ratio);
}

// What a break has achieved: 1 and more is enough.
const ratioOf = ({ element }) => element.clientWidth / element.scrollWidth;

function shrinkOrScroll(display, broken) {
  const { element, ratio } = display;
  if (broken >= 1) return;
  if (broken >= SLIGHTLY) {
    element.style.fontSize = sizeOf(broken);
    return;
  }
  element.classList.remove("broken");
  element.style.fontSize = sizeOf(Math.max(ratio, READABLE));
  if (ratio >= READABLE) return;
  element.classList.add("overflows");
  element.tabIndex = 0; // the keyboard must be able to scroll it
}

export function fitDisplays(elements) {
  const displays = [...elements].filter((element) => element.clientWidth > 0).map((element) => ({ element }));
  displays.forEach(reset);
  displays.forEach(measure);
  const wide = displays.filter(({ natural, width }) => natural > width + OVERHANG);
  wide.forEach(widenOrShrink);
  const broken = wide.filter(({ element }) => element.classList.contains("broken"));
  const achieved = broken.map(ratioOf);
  broken.forEach((display, at) => shrinkOrScroll(display, achieved[at]));
}

// A part of an inline formula that is wider than its column, such as \\left(..\\right), where no browser breaks: the
// formula becomes smaller, or a line of its own that is scrolled. A table scrolls as a whole.
export function fitInline(elements) {
  const formulas = [...elements].map((element) => ({ element }));
  formulas.forEach(reset);
  for (const formula of formulas) {
    const column = formula.element.closest("p, li, dd, div, section, h2, h3, h4, h5, h6, label, legend");
    const parts = [...formula.element.querySelectorAll(".katex-base")];
    const widest = Math.max(0, ...parts.map((part) => part.getBoundingClientRect().width));
    formula.ratio = column?.clientWidth ? column.clientWidth / widest : 1;
  }
  for (const { element, ratio } of formulas) {
    if (ratio >= 1 || element.closest("table")) continue;
    element.style.fontSize = sizeOf(Math.max(ratio, READABLE));
    if (ratio >= READABLE) continue;
    element.classList.add("overflows");
    element.tabIndex = 0;
  }
}
