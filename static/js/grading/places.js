// Where a selection in the rendered text stands in the source of its block: half-open offsets in code points, as
// the server counts. A formula counts as what its author wrote, and a selection that touches one takes all of it.
// Offsets are exact or there are none: what cannot be told without doubt is null, and the whole block is meant.

import { wholeFormulas } from "../math.js";

// The words of a piece of the rendered block, with every formula in its author's words.
function written(fragment) {
  for (const formula of fragment.querySelectorAll(".math")) {
    if (!formula.dataset.source) return null;
    formula.replaceWith(document.createTextNode(formula.dataset.source));
  }
  return fragment.textContent.replace(/\s+/g, " ").trim();
}

function placesOf(words, source) {
  if (!words) return [];
  const pattern = words.split(" ").map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return [...source.matchAll(new RegExp(pattern.join("\\s+"), "gu"))];
}

// The place of the selected words among equal ones: counted in the rendered text before them. The counts of both
// texts must agree, or a command or comment of the source stands between us and the answer.
function chosen(found, words, range, rendered) {
  if (found.length === 1) return found[0];
  const all = document.createRange();
  all.selectNodeContents(rendered);
  const before = all.cloneRange();
  before.setEnd(range.startContainer, range.startOffset);
  const inAll = placesOf(words, written(all.cloneContents()) ?? "");
  const inFront = placesOf(words, written(before.cloneContents()) ?? "");
  return inAll.length === found.length ? found[inFront.length] : undefined;
}

const LETTER = /[\p{L}\p{N}\p{M}]/u;

// A selection that begins or ends inside a word takes the whole word.
function wholeWords(range) {
  const first = range.startContainer;
  if (first.nodeType === Node.TEXT_NODE) {
    let at = range.startOffset;
    while (at > 0 && LETTER.test(first.data[at - 1]) && LETTER.test(first.data[at] ?? "")) at -= 1;
    range.setStart(first, at);
  }
  const last = range.endContainer;
  if (last.nodeType === Node.TEXT_NODE) {
    let at = range.endOffset;
    while (at > 0 && at < last.data.length && LETTER.test(last.data[at - 1]) && LETTER.test(last.data[at])) at += 1;
    range.setEnd(last, at);
  }
  return range;
}

// {start, end} of what is selected inside `rendered`, or null.
export function placeInSource(rendered, source) {
  const selection = getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return null;
  const range = wholeWords(wholeFormulas(selection.getRangeAt(0).cloneRange()));
  if (!rendered.contains(range.startContainer) || !rendered.contains(range.endContainer)) return null;
  const words = written(range.cloneContents());
  const place = words && chosen(placesOf(words, source), words, range, rendered);
  if (!place) return null;
  const start = [...source.slice(0, place.index)].length;
  return { start, end: start + [...place[0]].length };
}

// The range of the rendered text that [start, end) of the source became, or null where that cannot be told.
export function rangeOf(rendered, source, { start, end }) {
  const characters = [...source];
  const words = characters.slice(start, end).join("").replace(/\s+/g, " ").trim();
  if (!words) return null;
  // The text as one string, and for each of its characters the place in the page.
  let text = "";
  const places = [];
  const add = (piece, place) => {
    for (let at = 0; at < piece.length; at += 1) {
      if (/\s/.test(piece[at]) && (text === "" || text.endsWith(" "))) continue;
      text += /\s/.test(piece[at]) ? " " : piece[at];
      places.push(place(at));
    }
  };
  (function read(node) {
    for (const child of node.childNodes) {
      if (child.nodeType === Node.TEXT_NODE) add(child.data, (at) => [child, at, at + 1]);
      else if (child.classList?.contains("math")) add(child.dataset.source ?? "", () => [child]);
      else read(child);
    }
  })(rendered);
  const found = placesOf(words, text);
  const inSource = placesOf(words, source);
  const before = characters.slice(0, start).join("").length;
  const nth = inSource.findIndex(({ index }) => index >= before);
  const match = found.length === 1 ? found[0] : found.length === inSource.length ? found[nth] : undefined;
  if (!match) return null;
  const range = document.createRange();
  const [first, from] = places[match.index];
  const [last, , to] = places[match.index + match[0].length - 1];
  if (from === undefined) range.setStartBefore(first);
  else range.setStart(first, from);
  if (to === undefined) range.setEndAfter(last);
  else range.setEnd(last, to);
  return range;
}
