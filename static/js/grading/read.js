// Pages to be read: the mathematics, and where there is a document the means to find one's way in it.

import { renderMath } from "../math.js";
import { Book } from "../reading/book.js";

const bench = document.getElementById("split");
if (bench) {
  const book = new Book({ name: location.pathname, sheets: { answers: { element: bench.querySelector(".answers") } } });
  document.addEventListener("keydown", ({ key }) => {
    if (key === "Escape" && !document.querySelector("dialog[open]")) book.escape();
  });
} else renderMath(document.getElementById("main"));
