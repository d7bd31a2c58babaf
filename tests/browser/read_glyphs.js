(formulas) => {
  const metrics = {};
  const probe = document.createElement("canvas").getContext("2d");
  function ascent(style) {
    const font = `${style.fontStyle} ${style.fontWeight} 100px ${style.fontFamily}`;
    if (!(font in metrics)) {
      probe.font = font;
      metrics[font] = probe.measureText("x").fontBoundingBoxAscent / 100;
    }
    return metrics[font] * parseFloat(style.fontSize);
  }
  const invisible = /[\u200b\u2060\ufeff]/g;
  return formulas.map((packed) => {
    const [latex, display] = JSON.parse(packed);
    const box = document.getElementById("formula");
    const options = { displayMode: display, output: "html", strict: "ignore", maxExpand: 1000, maxSize: 20 };
    katex.render(latex, box, options);
    const pieces = [];
    for (const piece of box.querySelector(".katex-html").children) {
      if (piece.matches(".katex-newline")) continue;
      const em = parseFloat(getComputedStyle(piece).fontSize);
      const place = piece.getBoundingClientRect();
      const strut = piece.querySelector(".katex-strut");
      const glyphs = [];
      if (strut) {
        const baseline = strut.getBoundingClientRect().bottom + parseFloat(strut.style.verticalAlign || "0") * em;
        const texts = document.createTreeWalker(piece, NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) {
          const text = texts.currentNode.data.replace(invisible, "");
          if (!text) continue;
          const range = document.createRange();
          range.selectNodeContents(texts.currentNode);
          const at = range.getBoundingClientRect();
          const style = getComputedStyle(texts.currentNode.parentElement);
          if (style.color === "rgba(0, 0, 0, 0)") continue;
          const y = at.top + Math.round(ascent(style)) - baseline;
          glyphs.push([text, (at.left - place.left) / em, y / em, parseFloat(style.fontSize) / em]);
        }
      }
      pieces.push({ width: place.width / em, glyphs });
    }
    return pieces;
  });
}
