// Pages to be read: only the mathematics comes alive.

import { renderMath } from "../math.js";

renderMath(document.getElementById("main"));
