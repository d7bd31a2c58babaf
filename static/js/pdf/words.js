// The words of a page, compared without case, white space, ligatures and hyphens: in the words that the file gives, and
// in the elements that show them.

const IGNORED = /[\s\u00ad\u2010\u2011\ufffe-]/u;

// Each character of `text` that counts, with the place where it was.
function* letters(text) {
  let place = 0;
  for (const sign of text) {
    if (!IGNORED.test(sign)) for (const letter of sign.normalize("NFKC").toLowerCase()) yield [letter, place];
    place += sign.length;
  }
}

export function fold(text) {
  let folded = "";
  for (const [letter] of letters(text)) folded += letter;
  return folded;
}

// The text of an element with the node and offset of every character.
export function foldElement(element) {
  const places = [];
  let folded = "";
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    for (const [letter, offset] of letters(node.data)) {
      folded += letter;
      for (let unit = 0; unit < letter.length; unit++) places.push([node, offset]);
    }
  }
  return { folded, places };
}

export function placesOf(folded, wanted) {
  const found = [];
  if (!wanted) return found;
  for (let at = folded.indexOf(wanted); at >= 0; at = folded.indexOf(wanted, at + wanted.length)) found.push(at);
  return found;
}

export function rangeOf({ places }, start, length) {
  const range = document.createRange();
  const [first, from] = places[start];
  const [last, to] = places[start + length - 1];
  range.setStart(first, from);
  range.setEnd(last, Math.min(to + 1, last.data.length));
  return range;
}
