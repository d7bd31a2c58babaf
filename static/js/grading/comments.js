// Comments in the text: an editor under the block, a list in the form, all kept in the draft as `remarks`.

const ORDER = ["fatal", "major", "minor", "typo"];

// Offsets in the block's source: what is selected in the source view, otherwise the whole block.
function anchorOf(block) {
  const whole = { start: 0, end: Number(block.dataset.length), quote: "" };
  const source = block.querySelector(".passage-source");
  const selection = getSelection();
  const inside = selection.rangeCount && source.contains(selection.anchorNode) && source.contains(selection.focusNode);
  if (source.hidden || !inside || selection.isCollapsed) return whole;
  const range = selection.getRangeAt(0);
  // Offsets count code points, as the server does.
  const before = [...source.textContent.slice(0, range.startOffset)].length;
  const quote = selection.toString();
  return { start: before, end: before + [...quote].length, quote };
}

export class Comments {
  constructor({ form, blocks, template, list, count, none, changed }) {
    Object.assign(this, { form, blocks, template, list, count, none, changed });
    this.editor = null;
    for (const block of blocks.blocks) {
      block.querySelector('[data-tool="comment"]').addEventListener("click", () => this.write(block));
    }
    this.draw();
  }

  write(block, index = null) {
    this.close();
    const remark = index === null ? { severity: "minor", kind: "", text: "", ...anchorOf(block) } : this.form.remarks[index];
    const editor = this.template.content.firstElementChild.cloneNode(true);
    editor.querySelector(`[value="${remark.severity}"]`).checked = true;
    editor.querySelector('[name="kind"]').value = remark.kind ?? "";
    editor.querySelector('[name="text"]').value = remark.text;
    if (remark.quote) {
      const quote = editor.querySelector(".quote");
      quote.textContent = `On: ${remark.quote}`;
      quote.hidden = false;
    }
    const keep = () => this.#keep(block, index, remark, editor);
    editor.querySelector('[data-do="keep"]').addEventListener("click", keep);
    editor.querySelector('[data-do="cancel"]').addEventListener("click", () => this.close(block));
    editor.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) keep();
      else if (event.key === "Escape") this.close(block);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    editor.addEventListener("input", (event) => event.stopPropagation());
    block.append(editor);
    this.editor = editor;
    editor.querySelector("textarea").focus();
  }

  close(block = null) {
    this.editor?.remove();
    this.editor = null;
    block?.focus();
  }

  #keep(block, index, remark, editor) {
    const text = editor.querySelector('[name="text"]').value.trim();
    if (!text) {
      editor.querySelector("textarea").focus();
      return;
    }
    const kept = {
      block: block.dataset.block,
      start: remark.start,
      end: remark.end,
      severity: editor.querySelector('[name="severity"]:checked').value,
      kind: editor.querySelector('[name="kind"]').value,
      text,
    };
    if (index === null) this.form.remarks = [...this.form.remarks, kept];
    else this.form.remarks = this.form.remarks.with(index, kept);
    this.close(block);
    this.draw();
    this.changed();
  }

  remove(index) {
    this.form.remarks = this.form.remarks.toSpliced(index, 1);
    this.draw();
    this.changed();
  }

  draw() {
    for (const place of document.querySelectorAll("[data-comments]")) place.replaceChildren();
    this.list.replaceChildren();
    const worst = {};
    this.form.remarks.forEach((remark, index) => {
      const block = this.blocks.byId(remark.block);
      block?.querySelector("[data-comments]").append(this.#card("p", remark));
      this.list.append(this.#line(remark, index, block));
      const serious = ORDER.indexOf(remark.severity);
      if (serious < ORDER.indexOf(worst[remark.block] ?? "none") || !worst[remark.block]) worst[remark.block] = remark.severity;
    });
    this.count.textContent = this.form.remarks.length;
    this.none.hidden = this.form.remarks.length > 0;
    this.blocks.flag(worst);
  }

  #card(tag, remark) {
    const card = document.createElement(tag);
    card.className = `comment ${remark.severity}`;
    const head = document.createElement("strong");
    head.textContent = remark.kind ? `${remark.severity}, ${remark.kind.replace("_", " ")}` : remark.severity;
    card.append(head, ` ${remark.text}`);
    return card;
  }

  #line(remark, index, block) {
    const line = this.#card("li", remark);
    const tools = document.createElement("span");
    tools.className = "line-tools";
    tools.append(
      this.#button("Show", () => block && this.blocks.go(block)),
      this.#button("Edit", () => block && (this.blocks.go(block), this.write(block, index))),
      this.#button("Remove", () => this.remove(index)),
    );
    line.append(tools);
    return line;
  }

  #button(words, act) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "link";
    button.textContent = words;
    button.addEventListener("click", act);
    return button;
  }
}
