// The draggable divider between proof and form; arrow keys move it, and its place is remembered.

const NAME = "touchstone:width-of-text"; // in percent of the window
const LEAST = 50;
const MOST = 80;

export function wireDivider(split, divider) {
  function place(percent) {
    const share = Math.round(Math.min(MOST, Math.max(LEAST, percent)));
    split.style.setProperty("--paper-share", `${share}%`);
    divider.setAttribute("aria-valuenow", share);
    try {
      localStorage.setItem(NAME, share);
    } catch {
      // the width is a convenience
    }
  }

  function remembered() {
    try {
      return Number(localStorage.getItem(NAME)) || null;
    } catch {
      return null;
    }
  }

  const share = remembered();
  if (share) place(share);
  divider.addEventListener("pointerdown", (event) => {
    divider.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  divider.addEventListener("pointermove", (event) => {
    if (!divider.hasPointerCapture(event.pointerId)) return;
    const box = split.getBoundingClientRect();
    place(((event.clientX - box.left) / box.width) * 100);
  });
  divider.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -2, ArrowRight: 2, Home: -100, End: 100 }[event.key];
    if (step === undefined) return;
    place(Number(divider.getAttribute("aria-valuenow")) + step);
    event.preventDefault();
    event.stopPropagation();
  });
}
