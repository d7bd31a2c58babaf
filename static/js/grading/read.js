// Pages to be read: the mathematics, and where there is a document the means to find one's way in it.

import { renderMath } from "../math.js";
import { Book } from "../reading/book.js";

const bench = document.getElementById("split");
if (bench) new Book({ name: location.pathname, sheets: { answers: { element: bench.querySelector(".answers") } } });
else renderMath(document.getElementById("main"));
