// Labels of steps: what the form says of every step is next to it in the proof, and is given from there.
// In first-error mode one click marks the first wrong step; those before it are correct, those after not assessed.

const WORDS = { correct: "correct", incorrect: "wrong", not_assessed: "not assessed", no: "not relevant" };
const BUTTONS = { correct: "Right", incorrect: "Wrong", not_assessed: "" }; // "": no button next to the step

function buttonWords(value) {
  return BUTTONS[value] ?? value.charAt(0).toUpperCase() + value.slice(1).replaceAll("_", " ");
}

export class Steps {
  constructor({ fieldset, blocks, changed }) {
    Object.assign(this, { fieldset, changed });
    this.mode = fieldset.dataset.kind;
    this.steps = [...fieldset.querySelectorAll("[data-step]")].map((row) => this.#wire(row, blocks));
    const rest = fieldset.querySelector('[data-do="rest-correct"]');
    if (rest) {
      rest.hidden = false;
      rest.addEventListener("click", () => this.#rest());
    }
    fieldset.addEventListener("change", () => this.draw());
    this.draw();
  }

  // Gives the step that `block` belongs to a value, as if it were chosen in the form.
  mark(block, value) {
    const step = this.steps.find(({ passages }) => passages.includes(block));
    const wanted = this.mode === "first_error" ? step?.key : value;
    if (!step || (this.mode === "first_error" && value !== "incorrect")) return false;
    const radio = [...step.row.querySelectorAll("input")].find((input) => input.value === wanted);
    radio.checked = true;
    this.#said();
    return true;
  }

  draw() {
    const values = this.mode === "first_error" ? this.#upToFirstError() : this.steps.map(({ row }) => this.#chosen(row));
    this.steps.forEach((step, number) => {
      const value = values[number];
      for (const passage of step.passages) passage.dataset.label = value;
      step.sign.textContent = value ? `Step ${step.name}: ${WORDS[value] ?? value}` : `Step ${step.name}`;
    });
  }

  #upToFirstError() {
    const at = this.steps.findIndex(({ row }) => row.querySelector("input").checked);
    const none = this.fieldset.querySelector('input[value="none"]').checked;
    return this.steps.map((_, number) => {
      if (at < 0) return none ? "correct" : "";
      if (number === at) return "incorrect";
      return number < at ? "correct" : "not_assessed";
    });
  }

  #chosen(row) {
    return row.querySelector("input:checked")?.value ?? "";
  }

  #wire(row, blocks) {
    const { step: key, name } = row.dataset;
    const passages = row.dataset.blocks.split(" ").map((id) => blocks.byId(id));
    const head = document.createElement("p");
    head.className = "step-sign";
    const sign = document.createElement("span");
    head.append(sign);
    passages[0].prepend(head);
    const buttons =
      this.mode === "first_error"
        ? [["incorrect", "First error"]]
        : [...row.querySelectorAll("input")].map(({ value }) => [value, buttonWords(value)]);
    for (const [value, words] of buttons.filter(([, words]) => words)) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "tool";
      button.textContent = words;
      button.setAttribute("aria-label", `${words}: step ${name}`);
      button.addEventListener("click", () => this.mark(passages[0], value));
      head.append(" ", button);
    }
    return { key, name, row, passages, sign };
  }

  #rest() {
    for (const { row } of this.steps) {
      if (!this.#chosen(row)) row.querySelector('input[value="correct"]').checked = true;
    }
    this.#said();
  }

  #said() {
    this.draw();
    this.changed();
  }
}
