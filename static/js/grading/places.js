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

// {start, end} of what is selected inside `rendered`, or null.
export function placeInSource(rendered, source) {
  const selection = getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return null;
  const range = wholeFormulas(selection.getRangeAt(0).cloneRange());
  if (!rendered.contains(range.startContainer) || !rendered.contains(range.endContainer)) return null;
  const words = written(range.cloneContents());
  const place = words && chosen(placesOf(words, source), words, range, rendered);
  if (!place) return null;
  const start = [...source.slice(0, place.index)].length;
  return { start, end: start + [...place[0]].length };
}
