// "Go to": type "Lemma 3", "(2.4)", "le 2", "ref 5" or words of the text.

const MOST = 8;
const SHORT = {
  thm: "theorem", prop: "proposition", cor: "corollary", def: "definition", rem: "remark", ex: "example",
  eq: "(", fig: "figure", tab: "table", ref: "[", sec: "§", lem: "lemma", fn: "footnote",
};

const plain = (text) => text.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "");

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

// How well an entry answers: 0 not at all. Every typed word begins a word of the entry; its name counts more than its title.
function rank(words, name, title, section) {
  const [own, more] = [plain(name), plain(title)];
  const begins = (text, word) => new RegExp(`(?<![\\p{L}\\p{N}.])${escaped(word)}`, "u").test(text);
  let found = 1;
  for (const typed of words) {
    const word = SHORT[typed] ?? typed;
    if (word === "§" || word === "section") {
      if (!section) return 0;
      continue;
    }
    const bare = word.replace(/^[([]|[)\]]$/g, "");
    if (own === word) found += 10;
    else if (own.replace(/^[([]|[)\]]$/g, "") === bare) found += 8;
    else if (own.split(" ").some((part) => part.replace(/^[([]|[)\]]$/g, "") === bare)) found += 6;
    else if (own.startsWith(word) || begins(own, bare || word)) found += 3;
    else if (bare && begins(more, bare)) found += 1;
    else return 0;
  }
  return found;
}

// A passage as a reader sees it, in one line. KaTeX has every formula twice, and in MathML a numerator comes first.
function seen(passage) {
  const block = passage.querySelector(".block").cloneNode(true);
  for (const twice of block.querySelectorAll(".katex-html, annotation")) twice.remove();
  return block.textContent.replace(/\s+/g, " ").trim();
}

export class GoTo {
  constructor({ dialog, outline, go }) {
    Object.assign(this, { dialog, outline, go });
    this.input = dialog.querySelector("input");
    this.list = dialog.querySelector('[role="listbox"]');
    this.input.addEventListener("input", () => this.#search());
    this.input.addEventListener("keydown", (event) => this.#pressed(event));
    this.list.addEventListener("click", ({ target }) => this.#choose(target.closest('[role="option"]')));
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  }

  open() {
    this.input.value = "";
    this.texts = null; // read once for all that is typed: in a long text that takes a second
    this.dialog.showModal();
    this.input.focus();
    this.#search();
  }

  #pressed(event) {
    const options = [...this.list.children];
    const at = options.findIndex((option) => option.getAttribute("aria-selected") === "true");
    if (event.key === "ArrowDown") this.#select(options[Math.min(at + 1, options.length - 1)]);
    else if (event.key === "ArrowUp") this.#select(options[Math.max(at - 1, 0)]);
    else if (event.key === "Enter") this.#choose(options[at]);
    else return;
    event.preventDefault();
  }

  #search() {
    const typed = plain(this.input.value).trim();
    const words = typed.split(/\s+/).filter(Boolean);
    const entries = this.outline.entries
      .map((entry, at) => ({ entry, at, score: words.length ? rank(words, entry.name, this.outline.words(entry), entry.section) : 1 }))
      .filter(({ score, entry }) => score && (words.length || !entry.searchedOnly))
      .sort((one, other) => other.score - one.score || one.at - other.at)
      .slice(0, words.length ? MOST : Infinity)
      .map(({ entry }) => ({ element: entry.element, name: entry.name, words: this.outline.words({ ...entry, name: "" }), where: entry.within ?? "" }));
    this.found = [...entries, ...this.#inText(typed)];
    this.list.replaceChildren(...this.found.map((row, at) => this.#option(row, at)));
    this.#select(this.list.firstElementChild);
    this.dialog.querySelector(".none").hidden = this.found.length > 0;
  }

  // Passages that have the typed words as they stand.
  #inText(typed) {
    if (typed.length < 3) return [];
    this.texts ??= this.outline.passages.map((passage) => {
      const text = seen(passage);
      return { passage, text, searched: plain(text) };
    });
    const wanted = typed.replace(/\s+/g, " ");
    const hits = this.texts.filter(({ searched }) => searched.includes(wanted));
    return hits.slice(0, MOST).map(({ passage, text, searched }, at) => {
      const start = Math.max(0, searched.indexOf(wanted) - 30);
      const where = this.outline.at(passage);
      return {
        element: passage,
        name: "",
        words: `${start ? "…" : ""}${text.slice(start, start + 70)}…`,
        where: at === 0 ? `in the text, ${hits.length} ${hits.length === 1 ? "place" : "places"}` : (where?.name ?? ""),
      };
    });
  }

  #option({ name, words, where }, at) {
    const option = document.createElement("li");
    option.id = `go-to-${at}`;
    option.setAttribute("role", "option");
    const bold = document.createElement("b");
    bold.textContent = name;
    const title = document.createElement("span");
    title.textContent = words;
    const small = document.createElement("small");
    small.textContent = where;
    option.append(...(name ? [bold, " "] : []), title, " ", small);
    return option;
  }

  #select(option) {
    for (const other of this.list.children) other.setAttribute("aria-selected", String(other === option));
    this.input.setAttribute("aria-activedescendant", option?.id ?? "");
    option?.scrollIntoView({ block: "nearest" });
  }

  #choose(option) {
    if (!option) return;
    this.dialog.close();
    this.go(this.found[[...this.list.children].indexOf(option)].element);
  }
}
