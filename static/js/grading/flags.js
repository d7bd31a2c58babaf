// Flags of leakage: an editor that marks words in the source of any passage, a list, all kept in the draft.

const points = (text) => [...text].length; // offsets count code points, as the server does

function element(tag, text, className = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  made.className = className;
  return made;
}

// The source of a proof's passage stands on the page already.
function withSource(place) {
  return "source" in place
    ? place
    : { ...place, source: document.getElementById(place.block).querySelector(".passage-source").textContent };
}

export class Flags {
  constructor({ form, section, places, changed }) {
    Object.assign(this, { form, section, places: places.map(withSource), changed });
    this.byBlock = new Map(this.places.map((place) => [place.block, place]));
    this.editor = section.querySelector("#flag-editor");
    this.add = section.querySelector("#add-flag");
    this.list = section.querySelector("#flag-list");
    this.add.hidden = false;
    this.add.addEventListener("click", () => this.write());
    this.#field("kind").addEventListener("change", () => this.#kindChosen());
    this.#field("block").addEventListener("change", () => this.#blockChosen());
    // Not `readonly`: Chromium selects nothing by keyboard in such a field. It takes no text all the same.
    this.#field("source").addEventListener("beforeinput", (event) => event.preventDefault());
    this.#button("mark").addEventListener("click", () => this.#mark());
    this.#button("keep").addEventListener("click", () => this.#keep());
    this.#button("cancel").addEventListener("click", () => this.close());
    this.editor.addEventListener("input", (event) => {
      event.stopPropagation();
      this.warned = false;
    });
    this.editor.addEventListener("keydown", (event) => this.#key(event));
    this.draw();
  }

  write(index = null) {
    const flag = index === null ? { kind: "", spans: [], link: "", note: "" } : this.form.flags[index];
    this.flag = index === null ? null : flag;
    this.spans = [...(flag.spans ?? [])];
    this.#field("kind").selectedIndex = 0;
    if (flag.kind) this.#field("kind").value = flag.kind;
    this.#field("link").value = flag.link ?? "";
    this.#field("note").value = flag.note ?? "";
    this.#say("");
    this.#kindChosen(true);
    this.before = this.#written();
    this.warned = false;
    this.editor.hidden = false;
    this.add.hidden = true;
    this.#field("kind").focus();
  }

  // Before the grade is submitted: keeps the flag that is being written. False if it lacks something; the editor says what.
  settle() {
    if (this.editor.hidden) return true;
    const written = this.spans.length || this.#field("link").value.trim() || this.#field("note").value.trim();
    if (written) this.#keep();
    else this.close();
    return this.editor.hidden;
  }

  close() {
    this.editor.hidden = true;
    this.add.hidden = false;
    this.add.focus();
  }

  draw() {
    this.list.replaceChildren(...this.form.flags.map((flag, index) => this.#line(flag, index)));
    this.section.querySelector("#flag-count").textContent = this.form.flags.length;
    this.section.querySelector("#no-flags").hidden = this.form.flags.length > 0;
    this.section.querySelector('[name="flags"]').value = JSON.stringify(this.form.flags);
  }

  #field(name) {
    return this.editor.querySelector(`[name="flag-${name}"]`);
  }

  #button(name) {
    return this.editor.querySelector(`[data-do="${name}"]`);
  }

  #key(event) {
    const inSource = event.target === this.#field("source");
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) inSource ? this.#mark() : this.#keep();
    else if (event.key === "Escape") this.#escape();
    else if (event.key === "Enter" && event.target.tagName === "INPUT") this.#keep();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #written() {
    return JSON.stringify([...["kind", "link", "note"].map((name) => this.#field(name).value), this.spans]);
  }

  #escape() {
    if (this.warned || this.#written() === this.before) return this.close();
    this.warned = true;
    this.#say("Press Escape again to discard what you have written.");
  }

  // The passages that the chosen kind can be about; marks elsewhere cannot stay.
  #kindChosen(keepSpans = false) {
    const { subject, link } = this.#field("kind").selectedOptions[0].dataset;
    this.editor.querySelector('[data-for="link"]').hidden = !link;
    const fitting = this.places.filter((place) => place.subject === subject);
    const options = fitting.map((place, number) => {
      const start = place.source.trim().replace(/\s+/g, " ").slice(0, 50);
      return new Option(`${place.title} ${number + 1}: ${start}`, place.block);
    });
    this.#field("block").replaceChildren(...options);
    if (!keepSpans) this.spans = this.spans.filter((span) => this.byBlock.get(span.block)?.subject === subject);
    this.#blockChosen();
    this.#drawSpans();
  }

  #blockChosen() {
    const source = this.#field("source");
    source.value = this.byBlock.get(this.#field("block").value)?.source ?? "";
    source.setSelectionRange(0, 0);
  }

  #mark() {
    const source = this.#field("source");
    const whole = source.selectionStart === source.selectionEnd;
    const [from, to] = whole ? [0, source.value.length] : [source.selectionStart, source.selectionEnd];
    const start = points(source.value.slice(0, from));
    const span = { block: this.#field("block").value, start, end: start + points(source.value.slice(from, to)) };
    const known = this.spans.some((other) => JSON.stringify(other) === JSON.stringify(span));
    if (!known && span.end > span.start) this.spans.push(span);
    this.#drawSpans();
  }

  #drawSpans() {
    const list = this.editor.querySelector(".flag-spans");
    list.replaceChildren(
      ...this.spans.map((span, index) => {
        const line = element("li", `${this.#words(span)} `);
        line.append(
          this.#link("Unmark", () => {
            this.spans.splice(index, 1);
            this.#drawSpans();
            this.#button("mark").focus();
          }),
        );
        return line;
      }),
    );
  }

  #words({ block, start, end }) {
    const place = this.byBlock.get(block);
    return place ? `“${[...place.source].slice(start, end).join("")}” (${place.title})` : block;
  }

  #keep() {
    const kind = this.#field("kind");
    const needsLink = Boolean(kind.selectedOptions[0].dataset.link);
    const link = needsLink ? this.#field("link").value.trim() : "";
    if (needsLink && !/^https?:\/\/[^\s<>"'`\\]+$/.test(link)) {
      this.#say("Say where it is public, with an http or https address.");
      this.#field("link").focus();
      return;
    }
    if (!needsLink && !this.spans.length) {
      this.#say("Mark the text that gives the solution away.");
      this.#field("source").focus();
      return;
    }
    const flag = { kind: kind.value, spans: this.spans, link, note: this.#field("note").value.trim() };
    const at = this.form.flags.indexOf(this.flag); // others may have been removed meanwhile
    this.form.flags = at < 0 ? [...this.form.flags, flag] : this.form.flags.with(at, flag);
    this.close();
    this.draw();
    this.changed();
  }

  #say(words) {
    const problem = this.editor.querySelector("#flag-problem");
    problem.textContent = words;
    problem.hidden = !words;
  }

  #line(flag, index) {
    const option = this.#field("kind").querySelector(`[value="${CSS.escape(flag.kind)}"]`);
    const line = element("li", "", "comment flag");
    line.append(element("strong", option?.textContent ?? flag.kind));
    for (const span of flag.spans ?? []) line.append(` ${this.#words(span)}`);
    if (flag.link) line.append(` ${flag.link}`);
    if (flag.note) line.append(` ${flag.note}`);
    const tools = element("span", "", "line-tools");
    tools.append(
      this.#link("Edit", () => this.write(index)),
      this.#link("Remove", () => {
        this.form.flags = this.form.flags.toSpliced(index, 1);
        this.draw();
        this.changed();
        this.add.focus();
      }),
    );
    line.append(tools);
    return line;
  }

  #link(words, act) {
    const button = element("button", words, "link");
    button.type = "button";
    button.addEventListener("click", act);
    return button;
  }
}
