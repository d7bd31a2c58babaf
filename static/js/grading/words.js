// What a person typed, as nodes: formulas marked for math.js, everything else text. As words_math on the server.

const FORMULA = /(?<!\\)\$\$(.+?)\$\$|(?<!\\)\$(?=\S)([^$]{1,500}?)(?<=[^\s\\])\$(?!\d)|\\\[(.+?)\\\]|\\\((.+?)\\\)/gs;

function formula([source, block, inline, bracket, paren]) {
  const span = document.createElement("span");
  span.className = "math";
  span.dataset.display = String(Boolean(block ?? bracket));
  span.dataset.source = source;
  span.textContent = block ?? bracket ?? inline ?? paren;
  return span;
}

export function words(text) {
  const nodes = [];
  let at = 0;
  for (const found of text.matchAll(FORMULA)) {
    nodes.push(text.slice(at, found.index), formula(found));
    at = found.index + found[0].length;
  }
  return [...nodes, text.slice(at)];
}

// Where a comment is, as far as words can say it: which of two proofs, and the page of a PDF.
export function where({ block, anchor }) {
  const proof = block.match(/^(first|second)-/)?.[1];
  return [proof && `${proof} proof`, anchor && `page ${anchor.page}`].filter(Boolean).join(", ");
}
