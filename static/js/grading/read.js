// The page of a submitted item: only the mathematics comes alive.

import { renderMath } from "../math.js";

renderMath(document.getElementById("paper"));
