// The form as one content object (annotation/grading/answers.py) and back. Comments in the text live in `remarks`.

// One order of fields, so that equal contents have equal JSON whatever a database made of them.
function inOrder({ block, start, end, severity, kind, text, anchor }) {
  const remark = { block, start, end, severity, kind: kind ?? "", text };
  return anchor ? { ...remark, anchor: anchorInOrder(anchor) } : remark;
}

function anchorInOrder({ page, quote, rects }) {
  return { page, quote: quote && { exact: quote.exact, prefix: quote.prefix, suffix: quote.suffix }, rects };
}

function flagInOrder({ kind, spans, link, note }) {
  const marked = (spans ?? []).map(({ block, start, end }) => ({ block, start, end }));
  return { kind, spans: marked, link: link ?? "", note: note ?? "" };
}

const BY_STEP = "steps"; // the kind of question in which each step gets a value of its own

export class GradingForm {
  constructor(form, content) {
    this.form = form;
    this.remarks = content.anchored ?? [];
    this.flags = content.flags ?? [];
    this.refused = this.content(); // as it was when reasons were shown
  }

  get questions() {
    return [...this.form.querySelectorAll("[data-question]")];
  }

  content() {
    const data = new FormData(this.form);
    const answers = {};
    const comments = {};
    const steps = {};
    const abstained = [];
    for (const { dataset } of this.questions) {
      const key = dataset.question;
      const answer = (data.get(`answer-${key}`) ?? "").trim();
      const comment = (data.get(`comment-${key}`) ?? "").trim();
      if (answer) answers[key] = answer;
      if (comment) comments[key] = comment;
      if (data.get(`abstain-${key}`)) abstained.push(key);
      if (dataset.kind === BY_STEP) steps[key] = this.#labels(data, `step-${key}-`);
    }
    return {
      answers,
      steps,
      abstained,
      comments,
      anchored: this.remarks.map(inOrder),
      flags: this.flags.map(flagInOrder),
      note: data.get("note") ?? "",
      seen_before: data.has("seen_before"),
      seen_where: (data.get("seen_where") ?? "").trim(),
      statement_wrong: data.has("statement_wrong"),
      unjudged: { reason: data.get("unjudged") ?? "", note: (data.get("unjudged_note") ?? "").trim() },
      ...(data.has("searches") ? { searches: Number(data.get("searches")) } : {}),
    };
  }

  fill(content) {
    for (const { dataset } of this.questions) {
      const key = dataset.question;
      this.#setAnswer(key, content.answers?.[key] ?? "");
      for (const row of this.#rows(key)) this.#choose(row.querySelectorAll("input"), content.steps?.[key]?.[row.dataset.step]);
      this.#setText(`comment-${key}`, content.comments?.[key] ?? "");
      this.#setCheck(`abstain-${key}`, (content.abstained ?? []).includes(key));
    }
    this.#setText("note", content.note ?? "");
    this.#setCheck("seen_before", Boolean(content.seen_before));
    this.#setCheck("statement_wrong", Boolean(content.statement_wrong));
    this.#setText("seen_where", content.seen_where ?? "");
    this.#setText("unjudged", content.unjudged?.reason ?? "");
    this.#setText("searches", content.searches ?? 0);
    this.#setText("unjudged_note", content.unjudged?.note ?? "");
    this.remarks = content.anchored ?? [];
    this.flags = content.flags ?? [];
  }

  unanswered() {
    const { answers, steps, abstained, unjudged } = this.content();
    if (unjudged.reason) return [];
    return this.questions.filter(({ dataset }) => {
      const key = dataset.question;
      const labelled = Object.keys(steps[key] ?? {}).length;
      const answered = dataset.kind === BY_STEP ? labelled === this.#rows(key).length : key in answers;
      return dataset.required === "yes" && !answered && !abstained.includes(key);
    });
  }

  showProblems(problems) {
    this.refused = this.content();
    for (const place of this.form.querySelectorAll("[data-problem]")) this.#say(place, problems[place.dataset.problem] ?? "");
    const first = this.form.querySelector(".refused");
    if (first) {
      first.focus();
      first.scrollIntoView({ block: "center" });
    }
  }

  // Removes the reasons at questions that were changed since and have an answer; says whether any reason is left.
  hasProblemsLeft() {
    const open = this.unanswered().map(({ dataset }) => dataset.question);
    const now = this.content();
    let left = false;
    for (const place of this.form.querySelectorAll("[data-problem]:not([hidden])")) {
      const key = place.dataset.problem;
      const isRepaired = !open.includes(key) && this.#about(key, now) !== this.#about(key, this.refused);
      if (isRepaired) this.#say(place, "");
      else left = true;
    }
    return left;
  }

  // What a reason may be about: a question with its remarks, or else everything.
  #about(key, content) {
    if (!this.questions.some(({ dataset }) => dataset.question === key)) return JSON.stringify(content);
    const { answers, steps, abstained, comments, anchored } = content;
    return JSON.stringify([answers[key], steps[key], abstained.includes(key), comments[key], anchored]);
  }

  #say(place, reason) {
    place.textContent = reason;
    place.hidden = !reason;
    place.closest(".question, .unjudged")?.classList.toggle("refused", Boolean(reason));
  }

  // The rows of a question whose steps are labelled one by one.
  #rows(key) {
    return this.form.querySelectorAll(`[data-question="${CSS.escape(key)}"][data-kind="${BY_STEP}"] [data-step]`);
  }

  #labels(data, start) {
    const named = [...data.entries()].filter(([name]) => name.startsWith(start));
    return Object.fromEntries(named.map(([name, value]) => [name.slice(start.length), value]));
  }

  #choose(radios, value) {
    for (const radio of radios) radio.checked = radio.value === value;
  }

  #setAnswer(key, value) {
    for (const field of this.form.querySelectorAll(`[name="answer-${CSS.escape(key)}"]`)) {
      if (field.type === "radio") field.checked = field.value === value;
      else field.value = value;
    }
  }

  #setText(name, value) {
    const field = this.form.elements[name];
    if (field) field.value = value;
  }

  #setCheck(name, value) {
    const field = this.form.elements[name];
    if (field) field.checked = value;
  }
}
