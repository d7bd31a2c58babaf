// Renders the formulas that the server marked, a few at a time, each for itself.
//
// The server has expanded the author's macros and stripped what is hidden; KaTeX gets one formula, fresh macros
// and limits. A formula that fails shows its source, and no other formula notices.

import { fitDisplays, fitInline } from "./displays.js";

const LONGEST = 20000; // characters, as latex/limits.py
const SLICE = 25; // milliseconds of work before the page gets its turn; with the layout after it, well below 100

function options(display) {
  return {
    displayMode: display,
    output: "htmlAndMathml",
    trust: false,
    strict: "ignore",
    throwOnError: true,
    maxExpand: 1000,
    maxSize: 20,
    macros: {},
  };
}

function showSource(element, reason) {
  const code = document.createElement("code");
  code.className = "math-source";
  code.title = reason;
  code.textContent = element.dataset.source || element.dataset.latex;
  element.replaceChildren(code);
  element.dataset.state = "failed";
}

// KaTeX writes a few of its styles as attributes (vectors, boxes), which a strict content policy refuses; set
// through the object model they are allowed. __renderToDomTree is what katex.render itself calls first.
function setStylesAside(node) {
  if (node.attributes && node.attributes.style) {
    node.attributes["data-style"] = node.attributes.style;
    delete node.attributes.style;
  }
  for (const child of node.children || []) setStylesAside(child);
}

// A line may end between the parts of a formula. After the last part, a browser would break before a full stop.
function keepEnd(node) {
  const last = node.querySelector(".katex-html > .katex-base:last-child");
  if (!last) return;
  const end = document.createElement("span");
  end.className = "math-end";
  last.replaceWith(end);
  end.append(last);
}

function mathNode(latex, display) {
  const tree = window.katex.__renderToDomTree(latex, options(display));
  setStylesAside(tree);
  const node = tree.toNode();
  for (const element of node.querySelectorAll("[data-style]")) {
    element.style.cssText = element.getAttribute("data-style");
    element.removeAttribute("data-style");
  }
  if (!display) keepEnd(node);
  return node;
}

function renderOne(element) {
  const latex = element.textContent;
  element.dataset.latex = latex;
  if (latex.length > LONGEST) {
    showSource(element, `longer than ${LONGEST} characters`);
    return;
  }
  try {
    element.replaceChildren(mathNode(latex, element.dataset.display === "true"));
    element.dataset.state = "done";
  } catch (error) {
    // Also RangeError: deep nesting overflows KaTeX's stack and must not end the page's work.
    showSource(element, String((error && error.rawMessage) || error));
  }
}

// Waiting for an idle moment would starve the formulas of a long page on a busy machine.
function nextTurn() {
  return new Promise((resolve) => window.setTimeout(resolve, 0));
}

function closeToView(element) {
  const box = element.getBoundingClientRect();
  return box.bottom > -window.innerHeight && box.top < 2 * window.innerHeight;
}

// What can be seen comes first; the rest follows in the order of the text.
function inReadingOrder(elements) {
  const near = elements.filter(closeToView);
  const seen = new Set(near);
  return near.concat(elements.filter((element) => !seen.has(element)));
}

const isDisplay = (element) => element.dataset.display === "true";

async function renderAll(elements) {
  let sliceEnd = performance.now() + SLICE;
  let slice = [];
  for (const element of elements) {
    if (performance.now() > sliceEnd) {
      fitDisplays(slice.filter(isDisplay));
      slice = [];
      await nextTurn();
      sliceEnd = performance.now() + SLICE;
    }
    renderOne(element);
    slice.push(element);
  }
  fitDisplays(slice.filter(isDisplay));
  fitInline(elements.filter((element) => !isDisplay(element)));
}

// A window that was made narrower, a phone that was turned, a divider that was moved, a part that was opened.
export function fitAgain(root = document) {
  fitDisplays(root.querySelectorAll('.math[data-display="true"][data-state="done"]'));
  fitInline(root.querySelectorAll('.math[data-display="false"][data-state="done"]'));
}

let fitting;
window.addEventListener("resize", () => {
  cancelAnimationFrame(fitting);
  fitting = requestAnimationFrame(() => fitAgain());
});
// An element that was closed has no width; `toggle` does not bubble, so listen on the way down.
document.addEventListener("toggle", (event) => event.target.open && fitAgain(event.target), true);
document.fonts.ready.then(() => fitAgain());

function latexOf(element) {
  if (element.dataset.source) return element.dataset.source;
  const latex = element.dataset.latex || element.textContent;
  return element.dataset.display === "true" ? `\\[${latex}\\]` : `$${latex}$`;
}

// A selection that begins or ends inside a formula takes the whole formula.
export function wholeFormulas(range) {
  const enclosing = (node) => (node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement).closest(".math");
  const first = enclosing(range.startContainer);
  const last = enclosing(range.endContainer);
  if (first) range.setStartBefore(first);
  if (last) range.setEndAfter(last);
  return range;
}

function copyLatex(event) {
  const selection = document.getSelection();
  if (!selection || selection.isCollapsed || !event.clipboardData) return;
  const fragment = wholeFormulas(selection.getRangeAt(0).cloneRange()).cloneContents();
  const formulas = fragment.querySelectorAll(".math");
  if (formulas.length === 0) return;
  for (const formula of formulas) formula.replaceWith(document.createTextNode(latexOf(formula)));
  event.clipboardData.setData("text/plain", plainText(fragment));
  event.preventDefault();
}

function plainText(fragment) {
  for (const piece of fragment.querySelectorAll("p, div, li, h1, h2, h3, h4, h5, h6, section, tr")) piece.append("\n");
  return fragment.textContent.replace(/ +\n/g, "\n").replace(/\n{3,}/g, "\n\n").trim();
}

let copies = false;

// Renders every formula under `root` that is not rendered yet. The promise resolves, with the number of formulas
// and of failures, when all are done; it never rejects because of a formula.
export async function renderMath(root = document) {
  if (!copies) document.addEventListener("copy", copyLatex);
  copies = true;
  const waiting = [...root.querySelectorAll(".math:not([data-state])")];
  for (const element of waiting) element.dataset.state = "waiting";
  await renderAll(inReadingOrder(waiting));
  return { formulas: waiting.length, failures: waiting.filter((e) => e.dataset.state === "failed").length };
}
