// A PDF: its pages as pictures with their words on top, to be read, searched and selected. Pages far from what is in
// sight are forgotten. Nothing of the file is run, and its links lead to places inside it only.

import * as pdfjs from "../../vendor/pdfjs-6.5.438/build/pdf.min.mjs";
import { scrollerOf } from "../reading/places.js";
import { fold, foldElement, placesOf, rangeOf } from "./words.js";

const KEPT = 3; // pages drawn at a time, besides those in sight
const MOST_PIXELS = 5e6; // of one page
const SLOWEST = 10_000; // milliseconds for a page
const ZOOMS = [0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4];

function made(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

function button(label, words, act) {
  const found = made("button", { type: "button", className: "button quiet small", textContent: label, title: words });
  found.setAttribute("aria-label", words);
  found.addEventListener("click", act);
  return found;
}

export class PdfView {
  constructor(root) {
    this.root = root;
    this.sizes = JSON.parse(root.dataset.pages);
    this.zoom = 1;
    this.current = 1;
    this.drawn = new Map(); // number of the page to what is drawn of it, the longest unused first
    this.visible = new Set();
    this.way = []; // places left by following a link
    this.texts = [];
    this.found = [];
  }

  async open() {
    const { file, parts, worker } = this.root.dataset;
    // A worker that is refused would make pdf.js read the file in the page itself.
    const own = new Worker(worker, { type: "module" });
    const refused = new Promise((_, reject) => own.addEventListener("error", () => reject(new Error("its reader did not start"))));
    this.task = pdfjs.getDocument({
      url: file,
      worker: pdfjs.PDFWorker.create({ port: own }),
      cMapUrl: `${parts}cmaps/`,
      cMapPacked: true,
      standardFontDataUrl: `${parts}standard_fonts/`,
      wasmUrl: `${parts}wasm/`,
      useWasm: false,
      useSystemFonts: false,
      disableWorkerRendering: true,
      rangeChunkSize: 2 ** 17,
      enableXfa: false,
      maxImageSize: 2 ** 25,
      canvasMaxAreaInBytes: 2 ** 27,
      verbosity: 0,
    });
    this.pdf = await Promise.race([this.task.promise, refused]);
    this.#build();
    this.root.dispatchEvent(new CustomEvent("pdf-opened", { bubbles: true, detail: { view: this } }));
    const outline = await this.pdf.getOutline();
    if (outline?.length) this.#offerSections(outline);
  }

  #build() {
    const { title } = this.root.dataset;
    this.pages = made("div", { className: "pdf-pages", tabIndex: 0 });
    this.pages.setAttribute("role", "region");
    this.pages.setAttribute("aria-label", title);
    this.frames = this.sizes.map((_, place) => {
      const frame = made("div", { className: "pdf-page" });
      frame.dataset.page = place + 1;
      frame.dataset.block = `${this.root.dataset.block}-page${place + 1}`;
      frame.tabIndex = -1;
      frame.setAttribute("role", "group");
      frame.setAttribute("aria-label", `Page ${place + 1}`);
      return frame;
    });
    this.pages.append(...this.frames);
    this.number = made("input", { type: "number", className: "pdf-number", min: 1, max: this.sizes.length, value: 1 });
    this.number.setAttribute("aria-label", "Page");
    this.number.addEventListener("change", () => this.go(Number(this.number.value)));
    this.back = button("↩", "Back to where the link was", () => this.#goBack());
    this.back.hidden = true;
    this.query = made("input", { type: "search", placeholder: "Find in the PDF" });
    this.query.setAttribute("aria-label", "Find in the PDF");
    this.query.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      this.find(this.query.value, event.shiftKey ? -1 : 1);
    });
    this.region = button("Mark a region", "Mark a region of a page to comment on", () => this.#markRegions(!this.marking));
    this.region.hidden = true;
    this.hits = made("output", { className: "muted" });
    this.tools = made(
      "div",
      { className: "pdf-tools" },
      button("‹", "Page before", () => this.go(this.current - 1)),
      this.number,
      made("span", { className: "muted", textContent: `of ${this.sizes.length}` }),
      button("›", "Next page", () => this.go(this.current + 1)),
      button("−", "Smaller", () => this.#zoomBy(-1)),
      button("+", "Larger", () => this.#zoomBy(1)),
      this.query,
      this.hits,
      this.region,
      this.back,
    );
    this.tools.setAttribute("role", "toolbar");
    this.tools.setAttribute("aria-label", `${title}: pages and search`);
    this.root.replaceChildren(this.tools, this.pages);
    this.#measure();
    new ResizeObserver(() => this.#measure()).observe(this.root);
    this.watch = new IntersectionObserver((seen) => this.#seen(seen), { rootMargin: "200px 0px" });
    for (const frame of this.frames) this.watch.observe(frame);
  }

  #zoomBy(step) {
    const place = ZOOMS.findIndex((zoom) => zoom >= this.zoom);
    this.zoom = ZOOMS[Math.max(0, Math.min(ZOOMS.length - 1, place + step))];
    this.#measure();
  }

  // Gives every page the size that it will have, so that nothing moves when it is drawn.
  #measure() {
    const width = this.pages.clientWidth - 2;
    if (width <= 0) return;
    const widest = Math.max(...this.sizes.map(([side]) => side));
    const scale = (width / widest) * this.zoom;
    if (Math.abs(scale - this.scale) < 0.001) return;
    const page = this.current;
    this.scale = scale;
    this.frames.forEach((frame, place) => {
      const [across, down] = this.sizes[place];
      frame.style.width = `${across * scale}px`;
      frame.style.height = `${down * scale}px`;
      frame.style.setProperty("--total-scale-factor", scale);
    });
    for (const number of [...this.drawn.keys()]) this.#forget(number);
    if (page > 1) this.frames[page - 1].scrollIntoView({ block: "start" });
    for (const number of this.visible) this.#draw(number);
  }

  #seen(entries) {
    for (const { target, isIntersecting } of entries) {
      const number = Number(target.dataset.page);
      if (isIntersecting) this.visible.add(number);
      else this.visible.delete(number);
    }
    if (!this.visible.size) return;
    this.current = this.#topmost();
    this.number.value = this.current;
    for (const number of this.visible) this.#draw(number);
    for (const number of [...this.drawn.keys()]) {
      if (this.drawn.size <= Math.max(KEPT, this.visible.size)) break;
      if (!this.visible.has(number)) this.#forget(number);
    }
  }

  // The page that the most can be seen of.
  #topmost() {
    const seen = (number) => {
      const box = this.frames[number - 1].getBoundingClientRect();
      return Math.min(box.bottom, innerHeight) - Math.max(box.top, 0);
    };
    return [...this.visible].reduce((best, number) => (seen(number) > seen(best) ? number : best));
  }

  #forget(number) {
    const { render, canvas } = this.drawn.get(number);
    render?.cancel();
    canvas.width = canvas.height = 0;
    this.drawn.delete(number);
    this.#clear(number);
  }

  // Removes what is drawn of a page; a comment that is being written on it stays.
  #clear(number) {
    for (const child of [...this.frames[number - 1].children]) if (!child.matches(".comment-editor")) child.remove();
  }

  async #draw(number) {
    if (this.drawn.has(number) || this.broken) return;
    const canvas = made("canvas", {});
    canvas.setAttribute("aria-hidden", "true");
    const entry = { canvas };
    this.drawn.set(number, entry);
    const late = setTimeout(() => this.#giveUp(number), SLOWEST);
    try {
      const page = await this.pdf.getPage(number);
      if (this.drawn.get(number) !== entry) return;
      const [width, height] = this.sizes[number - 1];
      const scale = this.scale;
      const ratio = Math.min(devicePixelRatio, 2, Math.sqrt(MOST_PIXELS / (width * height * scale * scale)));
      const viewport = page.getViewport({ scale: scale * ratio });
      canvas.width = Math.floor(viewport.width);
      canvas.height = Math.floor(viewport.height);
      const frame = this.frames[number - 1];
      this.#clear(number);
      frame.prepend(canvas);
      entry.render = page.render({ canvas, viewport, annotationMode: pdfjs.AnnotationMode.DISABLE });
      await entry.render.promise;
      const layer = made("div", { className: "pdf-text" });
      frame.append(layer);
      const text = new pdfjs.TextLayer({
        textContentSource: await page.getTextContent(),
        container: layer,
        viewport: page.getViewport({ scale }),
      });
      await text.render();
      entry.layer = layer;
      entry.viewport = page.getViewport({ scale });
      await this.#addLinks(page, frame, scale);
      this.#mark(number);
      frame.dispatchEvent(new CustomEvent("pdf-drawn", { bubbles: true, detail: { number, layer, view: this } }));
    } catch (reason) {
      if (reason.name !== "RenderingCancelledException" && this.drawn.get(number) === entry && !this.broken) this.#say(number);
    } finally {
      clearTimeout(late);
    }
  }

  #giveUp(number) {
    this.broken = true;
    this.#say(number);
    this.task.destroy();
  }

  #say(number) {
    this.#clear(number);
    this.frames[number - 1].append(made("p", { className: "note", textContent: "This page could not be drawn." }));
  }

  async #addLinks(page, frame, scale) {
    const viewport = page.getViewport({ scale });
    for (const { subtype, dest, rect } of await page.getAnnotations()) {
      if (subtype !== "Link" || !dest) continue;
      const [left, top] = viewport.convertToViewportPoint(rect[0], rect[3]);
      const [right, bottom] = viewport.convertToViewportPoint(rect[2], rect[1]);
      const link = made("button", { type: "button", className: "pdf-link" });
      link.setAttribute("aria-label", "Go to what this refers to");
      Object.assign(link.style, {
        left: `${Math.min(left, right)}px`,
        top: `${Math.min(top, bottom)}px`,
        width: `${Math.abs(right - left)}px`,
        height: `${Math.abs(bottom - top)}px`,
      });
      link.addEventListener("click", () => this.#follow(dest));
      frame.append(link);
    }
  }

  async #follow(dest) {
    const [page, , , top] = Array.isArray(dest) ? dest : ((await this.pdf.getDestination(dest)) ?? []);
    if (!page) return;
    const number = (await this.pdf.getPageIndex(page)) + 1;
    this.way.push(this.#here());
    this.back.hidden = false;
    const height = this.sizes[number - 1][1];
    this.go(number, typeof top === "number" ? (height - top) * this.scale : 0);
  }

  // The scrolling element and where it is.
  #here() {
    const scroller = scrollerOf(this.root);
    return { scroller, top: scroller.scrollTop };
  }

  #goBack() {
    const { scroller, top } = this.way.pop();
    scroller.scrollTop = top;
    this.back.hidden = !this.way.length;
  }

  go(number, offset = 0) {
    const place = Math.max(1, Math.min(this.sizes.length, number || 1));
    const scroller = scrollerOf(this.root);
    const edge = scroller === document.scrollingElement ? 0 : scroller.getBoundingClientRect().top;
    const under = edge + this.tools.offsetHeight;
    scroller.scrollTop += this.frames[place - 1].getBoundingClientRect().top - under + Math.max(0, offset - 20);
  }

  #offerSections(outline) {
    const list = made("select", {});
    list.setAttribute("aria-label", "Go to a section of the PDF");
    list.append(made("option", { value: "", textContent: "Sections" }));
    const targets = [];
    const add = (entries, depth) => {
      for (const { title, dest, items } of entries) {
        if (dest) list.append(made("option", { value: targets.push(dest) - 1, textContent: "\u2003".repeat(depth) + title }));
        add(items ?? [], depth + 1);
      }
    };
    add(outline, 0);
    list.addEventListener("change", () => {
      if (list.value) this.#follow(targets[Number(list.value)]);
      list.value = "";
    });
    this.query.before(list);
  }

  // --- regions

  // From now on a rectangle can be drawn on a page; `marked` is called with the page and the rectangle.
  offerRegions(marked) {
    this.region.hidden = false;
    this.region.setAttribute("aria-pressed", "false");
    this.marked = marked;
    this.pages.addEventListener("pointerdown", (event) => this.#begin(event));
  }

  #markRegions(on) {
    this.marking = on;
    this.region.setAttribute("aria-pressed", String(on));
    this.pages.classList.toggle("marking", on);
  }

  #begin(event) {
    const frame = event.target.closest(".pdf-page");
    const number = Number(frame?.dataset.page);
    if (!this.marking || event.button || !this.drawn.get(number)?.viewport || event.target.closest(".comment-editor")) return;
    event.preventDefault();
    const { left, top, width, height } = frame.getBoundingClientRect();
    const inside = (at) => [Math.max(0, Math.min(width, at.clientX - left)), Math.max(0, Math.min(height, at.clientY - top))];
    const [x, y] = inside(event);
    const shape = made("span", { className: "pdf-mark region" });
    frame.append(shape);
    let box = { left: x, top: y, width: 0, height: 0 };
    const move = (at) => {
      const [nowX, nowY] = inside(at);
      box = { left: Math.min(x, nowX), top: Math.min(y, nowY), width: Math.abs(nowX - x), height: Math.abs(nowY - y) };
      for (const [name, value] of Object.entries(box)) shape.style[name] = `${value}px`;
    };
    const end = () => {
      removeEventListener("pointermove", move);
      shape.remove();
      this.#markRegions(false);
      // A click without moving means the page.
      this.marked(frame, box.width > 4 && box.height > 4 ? box : { left: 0, top: 0, width, height });
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", end, { once: true });
  }

  // --- finding

  async textOf(number) {
    this.texts[number] ??= this.pdf.getPage(number).then(async (page) => {
      const { items } = await page.getTextContent();
      return items.map(({ str, hasEOL }) => (str ?? "") + (hasEOL ? "\n" : "")).join("");
    });
    return this.texts[number];
  }

  async find(words, step = 1) {
    const wanted = fold(words);
    if (wanted !== this.wanted) {
      this.wanted = wanted;
      this.found = [];
      for (let number = 1; number <= this.sizes.length; number++) {
        const places = placesOf(fold(await this.textOf(number)), wanted);
        this.found.push(...places.map((_, nth) => ({ number, nth })));
      }
      this.at = this.found.findIndex(({ number }) => number >= this.current);
    } else this.at = (this.at + step + this.found.length) % this.found.length;
    if (!this.found.length) {
      this.hits.textContent = wanted ? "not found" : "";
      this.#mark();
      return;
    }
    this.at = Math.max(0, this.at);
    this.hits.textContent = `${this.at + 1} of ${this.found.length}`;
    const { number } = this.found[this.at];
    if (!this.drawn.get(number)?.layer) this.go(number);
    this.shows = number;
    for (const drawn of this.drawn.keys()) this.#mark(drawn);
  }

  // Marks what was found on a page that is drawn, and brings the chosen place into sight.
  #mark(number) {
    if (!globalThis.CSS?.highlights) return;
    const all = new Highlight();
    const here = new Highlight();
    for (const [place, { layer }] of this.drawn) {
      if (!layer || !this.wanted) continue;
      const page = foldElement(layer);
      placesOf(page.folded, this.wanted).forEach((start, nth) => {
        const range = rangeOf(page, start, this.wanted.length);
        const chosen = this.found[this.at];
        const isHere = chosen?.number === place && chosen.nth === nth;
        (isHere ? here : all).add(range);
        if (isHere && this.shows === number && number === place) {
          this.shows = 0;
          const { top } = range.getBoundingClientRect();
          this.go(place, top - this.frames[place - 1].getBoundingClientRect().top - 80);
        }
      });
    }
    CSS.highlights.set("pdf-found", all);
    CSS.highlights.set("pdf-here", here);
  }
}
