// For pages that only show documents: renders every formula on them.

import { renderMath } from "./math.js";

renderMath();
