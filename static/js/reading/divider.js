// A divider between two panes: dragged, or moved with the arrow keys; each place is remembered on this device. The
// element says what it moves: the style property in `data-moves`, its unit (rem, or % of all panes) in `data-unit`.

import { keep, kept } from "../kept.js";
import { fitAgain } from "../math.js";

export function wireDivider(split, divider) {
  const { moves, unit, name } = divider.dataset;
  const [least, most] = ["aria-valuemin", "aria-valuemax"].map((edge) => Number(divider.getAttribute(edge)));
  const step = unit === "%" ? 2 : 1;

  function place(wanted) {
    const value = Math.round(Math.min(most, Math.max(least, wanted)));
    split.style.setProperty(moves, `${value}${unit}`);
    divider.setAttribute("aria-valuenow", value);
    divider.setAttribute("aria-valuetext", unit === "%" ? `${value} %` : `${value} letters wide`);
    keep(name, value);
  }

  const before = Number(kept(name));
  if (before) place(before);
  divider.addEventListener("pointerdown", (event) => {
    divider.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  divider.addEventListener("pointermove", (event) => {
    if (!divider.hasPointerCapture(event.pointerId)) return;
    const box = split.getBoundingClientRect();
    const one = unit === "%" ? box.width / 100 : parseFloat(getComputedStyle(document.documentElement).fontSize);
    place((event.clientX - box.left) / one);
  });
  divider.addEventListener("pointerup", () => fitAgain());
  divider.addEventListener("keydown", (event) => {
    const now = Number(divider.getAttribute("aria-valuenow"));
    const wanted = { ArrowLeft: now - step, ArrowRight: now + step, Home: least, End: most }[event.key];
    if (wanted === undefined) return;
    place(wanted);
    fitAgain();
    event.preventDefault();
    event.stopPropagation();
  });
}
