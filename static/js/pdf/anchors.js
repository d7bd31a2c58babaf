// Comments on pages of a PDF: from what is selected or drawn to an anchor, and from anchors to marks on the page.
// Rectangles are in the page's own points, so that neither zoom nor screen matters.

import { fold, foldElement, placesOf, rangeOf } from "./words.js";

const AROUND = 32;
const MOST = 2000;
const NEAR = 6; // points
const round = (number) => Math.round(number * 100) / 100;

// What is selected on a drawn page; null when nothing is. A selection over two pages ends with its first.
export function selectedOn(view, number) {
  const { layer, viewport } = view.drawn.get(number) ?? {};
  const selection = getSelection();
  if (!layer || !selection.rangeCount || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0).cloneRange();
  if (!range.intersectsNode(layer)) return null;
  if (!layer.contains(range.startContainer)) range.setStart(layer, 0);
  if (!layer.contains(range.endContainer)) range.setEnd(layer, layer.childNodes.length);
  const exact = range.toString().slice(0, MOST);
  const rects = rectsOf(range, layer, viewport);
  if (!fold(exact) || !rects.length) return null;
  const before = document.createRange();
  before.setStart(layer, 0);
  before.setEnd(range.startContainer, range.startOffset);
  const after = document.createRange();
  after.setStart(range.endContainer, range.endOffset);
  after.setEnd(layer, layer.childNodes.length);
  const quote = { exact, prefix: before.toString().slice(-AROUND), suffix: after.toString().slice(0, AROUND) };
  return { page: number, quote, rects };
}

// A rectangle on a page that has no words, or whose words are not meant; `box` in pixels from its corner.
export function regionOn(view, number, box) {
  const { viewport } = view.drawn.get(number);
  return { page: number, quote: null, rects: [inPoints(viewport, box)] };
}

function rectsOf(range, layer, viewport) {
  const { left, top } = layer.getBoundingClientRect();
  return [...range.getClientRects()]
    .filter(({ width, height }) => width > 0.5 && height > 0.5)
    .slice(0, 200)
    .map((rect) => inPoints(viewport, { left: rect.left - left, top: rect.top - top, width: rect.width, height: rect.height }));
}

function inPoints(viewport, { left, top, width, height }) {
  const [x0, y0] = viewport.convertToPdfPoint(left, top);
  const [x1, y1] = viewport.convertToPdfPoint(left + width, top + height);
  const [a, b, c, d] = viewport.viewBox;
  const inside = (value, low, high) => round(Math.max(low, Math.min(high, value)));
  return [
    inside(Math.min(x0, x1), a, c),
    inside(Math.min(y0, y1), b, d),
    inside(Math.max(x0, x1), a, c),
    inside(Math.max(y0, y1), b, d),
  ];
}

// Marks for one comment on a drawn page: over its words where they are found, else over its rectangles.
export function marksOf({ layer, viewport }, anchor, severity) {
  const found = anchor.quote ? wordsOn(layer, anchor, viewport) : null;
  return (found ?? anchor.rects).map((rect) => {
    const mark = document.createElement("span");
    mark.className = `pdf-mark ${severity}${anchor.quote && !found ? " unsure" : ""}`;
    const [x0, y0] = viewport.convertToViewportPoint(rect[0], rect[3]);
    const [x1, y1] = viewport.convertToViewportPoint(rect[2], rect[1]);
    Object.assign(mark.style, {
      left: `${Math.min(x0, x1)}px`,
      top: `${Math.min(y0, y1)}px`,
      width: `${Math.abs(x1 - x0)}px`,
      height: `${Math.abs(y1 - y0)}px`,
    });
    return mark;
  });
}

// The rectangles of the quoted words as the page shows them now; of several places the one nearest to where it was.
function wordsOn(layer, { quote, rects }, viewport) {
  const page = foldElement(layer);
  const wanted = fold(quote.exact);
  const places = placesOf(page.folded, wanted);
  if (!places.length) return null;
  const options = places.map((start) => {
    return rectsOf(rangeOf(page, start, wanted.length), layer, viewport);
  });
  const far = (option) => (option.length ? Math.hypot(option[0][0] - rects[0][0], option[0][3] - rects[0][3]) : Infinity);
  const nearest = options.reduce((best, option) => (far(option) < far(best) ? option : best));
  return far(nearest) < NEAR ? rects : nearest; // glyphs are placed a little differently at every zoom
}
