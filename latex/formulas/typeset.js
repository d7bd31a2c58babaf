// Places the glyphs, rules and paths of a formula: the part of CSS that KaTeX 0.19's own style sheet uses,
// applied to KaTeX's tree. Lengths are in em of the formula's font; y grows downwards from the baseline.
// What this file does not know throws, so that nothing is printed wrongly in silence.
(function (fonts) {
  const advances = fonts.advances; // font to character to width
  const below = fonts.below; // font to how far a line of it reaches below the baseline
  const SIZES = [0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.2, 1.44, 1.728, 2.074, 2.488];
  const PADDING = {
    "x-arrow-pad": [0.5, 0.5], "cd-arrow-pad": [0.27778, 0.55556], boxpad: [0.3, 0.3],
    "cancel-pad": [0.2, 0.2], anglpad: [0.03889, 0.03889],
  };
  const MARGIN = { "cancel-lap": [-0.2, -0.2], "katex-root": [0.2777777778, -0.5555555556], angl: [0, 0.03889] };
  const ALIGN = {
    msupsub: "left", mfrac: "center", "katex-accent": "center", "op-limits": "center", "svg-align": "left",
    mover: "center", munder: "center", "x-arrow": "center",
    "col-align-c": "center", "col-align-l": "left", "col-align-r": "right",
  };
  const FLUID = new Set(["frac-line", "katex-hline", "katex-hdashline", "overline-line", "underline-line"]);
  const FONTS = { // in the order of the style sheet: a later class wins
    textbf: { bold: true }, textit: { italic: true }, textrm: { family: "Main" },
    textsf: { family: "SansSerif" }, texttt: { family: "Typewriter" },
    mathnormal: { family: "Math", italic: true }, mathit: { family: "Main", italic: true },
    mathrm: { italic: false }, mathbf: { family: "Main", bold: true },
    boldsymbol: { family: "Math", italic: true, bold: true },
    amsrm: { family: "AMS" }, mathbb: { family: "AMS" }, textbb: { family: "AMS" },
    mathcal: { family: "Caligraphic" }, mathfrak: { family: "Fraktur" }, textfrak: { family: "Fraktur" },
    mathboldfrak: { family: "Fraktur", bold: true }, textboldfrak: { family: "Fraktur", bold: true },
    mathtt: { family: "Typewriter" }, mathscr: { family: "Script" }, textscr: { family: "Script" },
    mathsf: { family: "SansSerif" }, mathboldsf: { family: "SansSerif", bold: true },
    textboldsf: { family: "SansSerif", bold: true }, mathitsf: { family: "SansSerif", italic: true },
    mathsfit: { family: "SansSerif", italic: true }, textitsf: { family: "SansSerif", italic: true },
    mainrm: { family: "Main", italic: false },
    "small-op": { family: "Size1" }, "large-op": { family: "Size2" },
    "delim-size1": { family: "Size1" }, "delim-size4": { family: "Size4" },
  };
  const FONT_ORDER = Object.keys(FONTS);

  function em(value) {
    if (value === undefined || value === "") return 0;
    const found = /^(-?[\d.]+(?:e-?\d+)?)em$/.exec(value);
    if (found) return Number(found[1]);
    if (/^0(px)?$/.test(value)) return 0;
    throw new Error("length " + value);
  }

  function shift(ops, x, y) {
    for (const op of ops) { op.x += x; op.y += y; }
    return ops;
  }

  // What a node's classes and style change of the circumstances it hands to its children.
  function inside(node, ctx) {
    const classes = node.classes.join(" ").split(" ");
    const inner = Object.assign({}, ctx);
    const from = classes.find((name) => /^reset-size\d+$/.test(name));
    const to = classes.find((name) => /^size\d+$/.test(name));
    if (from && to) inner.size *= SIZES[to.slice(4) - 1] / SIZES[from.slice(10) - 1];
    if (classes.includes("delimsizing") && to) inner.family = "Size" + to.slice(4);
    for (const name of FONT_ORDER) if (classes.includes(name)) Object.assign(inner, FONTS[name]);
    for (const name of classes) if (ALIGN[name]) inner.align = ALIGN[name];
    if (node.style && node.style.color) inner.color = node.style.color;
    return [inner, new Set(classes)];
  }

  function fontOf(ctx) {
    const style = (ctx.bold ? "Bold" : "") + (ctx.italic ? "Italic" : "");
    for (const name of [style || "Regular", ctx.italic ? "Italic" : "Bold", ctx.bold ? "Bold" : "Italic", "Regular"]) {
      if (advances[ctx.family + "-" + name]) return ctx.family + "-" + name;
    }
    throw new Error("font " + ctx.family);
  }

  function symbol(node, outer) {
    const [ctx] = inside(node, outer);
    const text = node.text.replace(/[\u200b\u2060\ufeff]/g, "").replace(/\u2011/g, "-");
    if (!text) return { w: 0, ops: [] };
    const own = fontOf(ctx); // if the family lacks a glyph, another one may have it, as in a browser
    const has = (name) => Array.from(text).every((char) => char in advances[name]);
    const font = [own, "Main-Regular", "AMS-Regular"].find(has);
    if (!font) throw new Error("no glyph for " + JSON.stringify(text));
    let w = 0;
    for (const char of text) w += advances[font][char] * ctx.size;
    const style = node.style || {};
    const right = Math.max(node.italic, 0) + em(style.marginRight) + em(style.paddingRight);
    const left = (em(style.marginLeft) + em(style.paddingLeft)) * ctx.size;
    const op = { t: "g", font: font, size: ctx.size, x: left, y: 0, text: text, color: ctx.color };
    return { w: left + w + right * ctx.size, ops: [op] };
  }

  function row(children, ctx) {
    let x = 0, fluid = false;
    const ops = [];
    for (const child of children) {
      const box = lay(child, ctx);
      for (const op of shift(box.ops, x, 0)) ops.push(op);
      x += box.w;
      fluid = fluid || box.fluid;
    }
    return { w: x, ops: ops, fluid: fluid };
  }

  function rect(x, y, w, h, color, dashed) {
    return { t: "r", x: x, y: y, w: w, h: h, color: color, dashed: Boolean(dashed) };
  }

  // The stacked lists that carry scripts, fractions, roots, accents and tables.
  function list(node, ctx) {
    const wraps = node.children[0].children[0].children;
    const measured = wraps.map((wrap) => wrapped(wrap, ctx, null));
    const w = Math.max(0, ...measured.map((box) => box.w));
    const ops = [];
    wraps.forEach((wrap, place) => {
      const first = measured[place];
      const box = first.fluid ? wrapped(wrap, ctx, w) : first;
      const free = w - box.left - box.right - box.inner;
      const at = box.align === "center" ? Math.max(0, free / 2) : box.align === "right" ? Math.max(0, free) : 0;
      for (const op of shift(box.ops, box.left + at, box.y)) ops.push(op);
    });
    return { w: w, ops: ops, fluid: false };
  }

  function wrapped(wrap, outer, width) {
    const [ctx] = inside(wrap, outer);
    const style = wrap.style || {};
    const left = em(style.marginLeft) * ctx.size, right = em(style.marginRight) * ctx.size;
    ctx.avail = width === null ? null : width - left - right;
    const strut = wrap.children.find((child) => child.classes.includes("pstrut"));
    const y = strut ? (em(style.top) + em(strut.style.height)) * ctx.size : 0;
    const box = row(wrap.children.filter((child) => child !== strut), ctx);
    return {
      w: box.w + left + right, inner: box.w, left: left, right: right, y: y, ops: box.ops, fluid: box.fluid,
      align: ctx.align,
    };
  }

  // <svg>: stretched arrows, roots and braces. It fills `width` and stands on the baseline.
  function picture(node, ctx, height) {
    const a = node.attributes;
    const own = /width:([\d.]+em)/.exec(a.style || "");
    if (!own && ctx.avail === null) return { w: 0, ops: [], fluid: true };
    const w = own ? em(own[1]) * ctx.size : ctx.avail;
    const ops = [];
    for (const child of node.children) {
      if (child.pathName === undefined) {
        const at = (name, full) => (/%$/.test(child.attributes[name]) ? parseFloat(child.attributes[name]) / 100 * full : 0);
        const stroke = em(child.attributes["stroke-width"]) * ctx.size;
        const x1 = at("x1", w), y1 = at("y1", height);
        ops.push({ t: "l", x: x1, y: y1 - height, dx: at("x2", w) - x1, dy: at("y2", height) - y1, stroke: stroke, color: ctx.color });
        continue;
      }
      const d = /d=['"]([^'"]*)['"]/.exec(child.toMarkup())[1];
      const [, , vw, vh] = a.viewBox.split(" ").map(Number);
      const how = a.preserveAspectRatio || "xMidYMid meet";
      let sx = w / vw, sy = height / vh;
      if (how !== "none") sx = sy = /slice/.test(how) ? Math.max(sx, sy) : Math.min(sx, sy);
      const slack = w - vw * sx;
      const tx = /xMax/.test(how) ? slack : /xMid/.test(how) ? slack / 2 : 0;
      const clip = { w: w, h: height };
      ops.push({ t: "p", d: d, sx: sx, sy: sy, tx: tx, x: 0, y: -height, clip: clip, color: ctx.color });
    }
    return { w: 0, ops: ops, fluid: !own };
  }

  function lap(node, ctx, classes) {
    const found = node.children.find((child) => child.classes.includes("katex-inner"));
    const box = row(found.children, ctx);
    const back = classes.has("llap") ? 1 : classes.has("clap") ? 0.5 : 0;
    return { w: 0, ops: shift(box.ops, -back * box.w, 0), fluid: false };
  }

  // Elements as wide as what holds them: bars, tails, boxes, struck out text.
  function fluid(node, ctx, classes) {
    const style = node.style || {};
    const least = em(style.minWidth) * ctx.size;
    if (ctx.avail === null) return { w: least, ops: [], fluid: true };
    const w = Math.max(ctx.avail, least);
    const height = em(style.height) * ctx.size;
    const ops = [];
    if (style.backgroundColor) ops.push(rect(0, -height, w, height, style.backgroundColor));
    if (classes.has("fbox") || classes.has("fcolorbox")) {
      const t = em(style.borderWidth || "0.04em") * ctx.size, color = style.borderColor || ctx.color;
      ops.push(rect(0, -height, w, t, color), rect(0, -t, w, t, color));
      ops.push(rect(0, -height, t, height, color), rect(w - t, -height, t, height, color));
    } else if (classes.has("angl")) {
      const t = em(style.borderTopWidth) * ctx.size;
      ops.push(rect(0, -height, w, t, ctx.color), rect(w - t, -height, t, height, ctx.color));
    } else {
      const border = classes.has("katex-sout") ? 0.08 : em(style.borderBottomWidth);
      if (border) ops.push(rect(0, -border * ctx.size, w, border * ctx.size, ctx.color, classes.has("katex-hdashline")));
    }
    const deeper = Object.assign({}, ctx, { avail: w });
    for (const child of node.children) ops.push(...part(child, deeper, height));
    return { w: w, ops: ops, fluid: true };
  }

  // A child of a fluid element: its picture, or one of the pieces that braces and harpoons are made of.
  function part(node, ctx, height) {
    if (!node.classes) return picture(node, ctx, height).ops;
    const pieces = {
      "brace-left": [0, 0.251], "brace-center": [0.25, 0.5], "brace-right": [0.749, 0.251],
      "halfarrow-left": [0, 0.502], "halfarrow-right": [0.498, 0.502],
    };
    const name = node.classes.find((one) => pieces[one]);
    if (!name) throw new Error("part " + node.classes.join("."));
    const [x, w] = pieces[name];
    const deeper = Object.assign({}, ctx, { avail: ctx.avail * w });
    const own = em(node.style.height) * ctx.size;
    const ops = [].concat(...node.children.map((child) => picture(child, deeper, own).ops));
    return shift(ops, ctx.avail * x, own - height);
  }

  function separator(node, ctx) {
    const s = node.style, w = em(s.borderRightWidth) * ctx.size, height = em(s.height) * ctx.size;
    const margin = em((s.margin || "0 0em").split(" ")[1]) * ctx.size;
    const op = rect(margin, -em(s.verticalAlign) * ctx.size - height, w, height, ctx.color, s.borderRightStyle === "dashed");
    return { w: w + 2 * margin, ops: [op], fluid: false };
  }

  function rule(node, ctx) {
    const s = node.style, w = em(s.borderRightWidth) * ctx.size, h = em(s.borderTopWidth) * ctx.size;
    return { w: w, ops: [rect(0, -h - em(s.bottom) * ctx.size, w, h, ctx.color)], fluid: false };
  }

  // A vertical arrow of a commutative diagram with its two labels, which hang at its middle.
  function verticalArrow(node, ctx) {
    const label = (child) => child.classes.some((name) => /^cd-label/.test(name));
    const box = row(node.children.filter((child) => !label(child)), ctx);
    const bottom = Math.max(node.depth, below["Main-Regular"]) * ctx.size;
    for (const child of node.children.filter(label)) {
      const [inner] = inside(child, ctx);
      const text = row(child.children, inner);
      const side = child.classes.includes("cd-label-left") ? -0.3 * inner.size - text.w : 0.3 * inner.size;
      const line = text.ops.filter((op) => op.t === "g").map((op) => op.size * below[op.font]);
      const raised = em(child.style.bottom) * inner.size + Math.max(below["Main-Regular"] * inner.size, ...line);
      box.ops.push(...shift(text.ops, box.w / 2 + side, bottom - raised));
    }
    return box;
  }

  function lay(node, outer) {
    if (node.text !== undefined) return symbol(node, outer);
    if (!node.classes) {
      if (node.attributes) return picture(node, outer, outer.height);
      if (node.children) return row(node.children, outer);
      throw new Error("node");
    }
    const [ctx, classes] = inside(node, outer);
    const style = node.style || {};
    if (classes.has("reflectbox") || classes.has("eqn-num")) throw new Error([...classes].join("."));
    if (classes.has("katex-strut")) return { w: 0, ops: [], fluid: false };
    let box;
    if (classes.has("vlist-t")) box = list(node, ctx);
    else if (classes.has("rlap") || classes.has("llap") || classes.has("clap")) box = lap(node, ctx, classes);
    else if (classes.has("vertical-separator")) return separator(node, ctx);
    else if (classes.has("katex-rule")) box = rule(node, ctx);
    else if (classes.has("cd-vert-arrow")) box = verticalArrow(node, ctx);
    else if (classes.has("hide-tail") || classes.has("katex-stretchy") || [...classes].some((name) => FLUID.has(name))) {
      box = fluid(node, ctx, classes);
    } else {
      if (style.height !== undefined) ctx.height = em(style.height) * ctx.size;
      box = row(node.children, ctx);
    }
    return framed(box, node, ctx, classes, style);
  }

  // Widths, paddings, margins and relative offsets of an element.
  function framed(box, node, ctx, classes, style) {
    let left = em(style.marginLeft), right = em(style.marginRight), start = em(style.paddingLeft), end = em(style.paddingRight);
    for (const name of classes) {
      if (PADDING[name]) { start += PADDING[name][0]; end += PADDING[name][1]; }
      if (MARGIN[name]) { left += MARGIN[name][0]; right += MARGIN[name][1]; }
    }
    let w = box.w + (start + end) * ctx.size;
    if (classes.has("katex-thinbox")) w = 0;
    else if (classes.has("nulldelimiter")) w = 0.12 * ctx.size;
    else if (classes.has("accent-body") && !classes.has("accent-full")) w = 0;
    else if (style.width !== undefined) w = em(style.width) * ctx.size;
    const relative = classes.has("delimcenter") || classes.has("op-symbol") || classes.has("accent-body");
    const x = (left + start + (relative ? em(style.left) : 0)) * ctx.size;
    const y = relative ? em(style.top) * ctx.size : 0;
    return { w: w + (left + right) * ctx.size, ops: shift(box.ops, x, y), fluid: box.fluid };
  }

  function piece(node, display) {
    const start = { size: 1, family: "Main", bold: false, italic: false, color: "", align: display ? "center" : "left", avail: null };
    const box = lay(node, start);
    // Phantoms are transparent, and a rule without width holds a line open: neither leaves ink.
    const inked = box.ops.filter((op) => op.color !== "transparent" && !(op.t === "r" && Math.min(op.w, op.h) <= 0));
    return { width: box.w, height: node.height, depth: node.depth, ops: inked };
  }

  return function (request) {
    const { latex, options } = JSON.parse(request);
    let root;
    try {
      root = katex.__renderToDomTree(latex, options); // private to KaTeX 0.19: only this gives its tree (docs/latex.md)
    } catch (error) {
      return JSON.stringify({ error: String((error && error.rawMessage) || error) });
    }
    while (!root.classes.includes("katex-html")) root = root.children[0];
    const made = { pieces: [], tag: null };
    try {
      for (const child of root.children) {
        if (child.classes.includes("katex-newline")) made.pieces.push({ newline: em(child.style.marginTop) });
        else if (child.classes.includes("katex-tag")) made.tag = piece(child, false);
        else made.pieces.push(piece(child, options.displayMode));
      }
    } catch (error) {
      return JSON.stringify({ unknown: String(error.message || error) });
    }
    return JSON.stringify(made);
  };
})
