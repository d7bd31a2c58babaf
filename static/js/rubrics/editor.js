// The editor of forms. It holds the content of the form as a value, draws it, and saves it after every change; the server
// says what is wrong with it and renders the preview.

import { csrfToken, send } from "../grading/api.js";
import { showBoth } from "../grading/conflict.js";
import { asKind, keyFor, kindOf, KINDS, numbersFrom, understood } from "./kinds.js";
import { button, element, field, icon, select } from "./page.js";

const QUIET = 700; // milliseconds without typing before a save
const RETRY = 4000;
const MAX_VALUES = 25;

const byId = (id) => document.getElementById(id);
const read = (id) => JSON.parse(byId(id).textContent);

class Editor {
  constructor(root, draft, terms) {
    Object.assign(this, { root, terms, saves: draft.saves, faults: draft.faults, checks: draft.checks });
    this.take(draft.content);
    this.saved = JSON.stringify(this.content);
    this.open = 0;
    this.kinds = new WeakMap(); // question to what it was as each kind
    for (const name of ["title", "name", "kind"]) {
      byId(`form-${name}`).addEventListener("input", ({ target }) => {
        this.content[name] = target.value;
        this.changed();
      });
    }
    byId("add-question").addEventListener("click", () => this.addQuestion());
    byId("add-rule").addEventListener("click", () => this.addRule());
    byId("undo").addEventListener("click", () => this.undo());
    byId("preview").addEventListener("change", () => this.preview());
    byId("preview").addEventListener("submit", (event) => event.preventDefault());
    byId("publish").addEventListener("submit", (event) => this.publish(event));
    addEventListener("visibilitychange", () => document.hidden && this.save());
    addEventListener("beforeunload", (event) => this.dirty && event.preventDefault());
    root.hidden = false;
    this.draw();
    this.preview();
  }

  take(content) {
    this.content = understood(content);
    this.removed = []; // what can be brought back, the latest last: {words, rules, back}
  }

  get dirty() {
    return JSON.stringify(this.content) !== this.saved;
  }

  // --- saving ---------------------------------------------------------------------------------------------

  changed() {
    this.say("saving", "Saving…");
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), QUIET);
  }

  async save() {
    clearTimeout(this.timer);
    if (this.saving) return this.saving;
    if (this.stopped) return false;
    if (!this.dirty) {
      this.say("saved", "Saved");
      return true;
    }
    this.saving = this.#save();
    const done = await this.saving;
    this.saving = null;
    return done && this.dirty ? this.save() : done;
  }

  async #save() {
    const sent = JSON.stringify(this.content);
    const reply = await send("PUT", this.root.dataset.api, { content: this.content, saves: this.saves });
    if (reply.kind === "ok") {
      this.saves = reply.body.saves;
      this.saved = sent;
      byId("publish").elements.saves.value = this.saves;
      byId("version").textContent = reply.body.version;
      Object.assign(this, { faults: reply.body.faults, checks: reply.body.checks });
      this.say("saved", `Saved ${new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}`);
      this.showFaults();
      this.preview();
      return true;
    }
    if (reply.body.code === "draft_conflict") this.choose(reply.body.stored);
    else if (reply.kind === "refused") this.say("refused", reply.body.reason ?? "Not saved");
    else {
      this.say("away", reply.kind === "away" ? "Server unreachable: trying again" : "Signed out: sign in again in another window");
      this.timer = setTimeout(() => this.save(), RETRY);
    }
    return false;
  }

  choose(stored) {
    this.stopped = true;
    this.say("conflict", "Changed elsewhere: choose a version");
    const theirs = understood(stored.content);
    const words = ({ title, questions, rules }) =>
      [
        title,
        ...questions.flatMap((question) => [
          `• ${question.text} (${this.#words(question)})`,
          ...(question.help ? [`  ${question.help}`] : []),
          ...Object.entries(question.anchors ?? {}).map(([value, meaning]) => `  ${value}: ${meaning}`),
        ]),
        ...rules.map((rule) => `Rule: ${JSON.stringify(rule)}`),
      ].join("\n");
    const goOn = (take) => () => {
      this.saves = stored.saves;
      this.saved = JSON.stringify(stored.content);
      if (take) this.take(stored.content);
      this.stopped = false;
      this.draw();
      if (take) this.saved = JSON.stringify(this.content);
      this.save();
    };
    showBoth({ mine: words(this.content), theirs: words(theirs), keepMine: goOn(false), keepTheirs: goOn(true) });
  }

  async publish(event) {
    event.preventDefault();
    if (!(await this.save())) return;
    if (this.faults.length) {
      const [{ question }] = this.faults;
      if (question !== null) this.open = question;
      this.draw();
      const problem = document.querySelector("#editor .problem:not([hidden])");
      if (problem) {
        problem.tabIndex = -1;
        problem.focus(); // so that Tab goes on to what has to be corrected
        problem.scrollIntoView({ block: "center" });
      }
      return;
    }
    event.target.elements.csrfmiddlewaretoken.value = csrfToken(); // signing in again changed it
    setTimeout(() => event.target.submit()); // after this event: while it lasts the browser submits nothing else
  }

  say(state, words) {
    const output = byId("save-state");
    output.dataset.state = state;
    output.textContent = words;
  }

  // --- questions ------------------------------------------------------------------------------------------

  addQuestion() {
    const keys = this.content.questions.map(({ key }) => key);
    const scale = { level: "ordinal", values: ["good", "bad"], success: ["good"] };
    this.content.questions.push({ key: keyFor("", keys), text: "", scale, help: "", required: true, anchors: {} });
    this.open = this.content.questions.length - 1;
    this.redraw(`#question-text-${this.open}`);
  }

  removeQuestion(at) {
    const [question] = this.content.questions.splice(at, 1);
    const about = (rule) => rule.question === question.key || rule.then === question.key;
    const rules = this.content.rules.filter(about);
    this.content.rules = this.content.rules.filter((rule) => !about(rule));
    const back = () => {
      this.content.questions.splice(at, 0, question);
      this.content.rules.push(...rules);
      this.open = at;
      return `#question-text-${at}`;
    };
    this.removed.push({ words: question.text, rules, back });
    this.redraw("#undo");
  }

  undo() {
    this.redraw(this.removed.pop().back());
  }

  // Rules that are there, and those that left with a question and may come back.
  get everyRule() {
    return [...this.content.rules, ...this.removed.flatMap(({ rules }) => rules)];
  }

  // `row` has the buttons for up and down; the focus stays on the one that was used as long as it can be used again.
  move(list, at, by, row) {
    const [moved] = list.splice(at, 1);
    list.splice(at + by, 0, moved);
    if (list === this.content.questions) this.open = this.open === at ? at + by : this.open === at + by ? at : this.open;
    this.draw();
    this.changed();
    const [up, down] = document.querySelectorAll(`${row} .tool`);
    const [same, other] = by < 0 ? [up, down] : [down, up];
    (same.disabled ? other : same).focus();
  }

  rename(question, text) {
    const others = this.content.questions.filter((each) => each !== question).map(({ key }) => key);
    const own = keyFor(question.text ?? "", others);
    question.text = text;
    if (question.key !== own) return; // somebody chose it
    this.rekey(question, keyFor(text, others));
  }

  rekey(question, key, { asked, then } = this.#rulesAbout(question)) {
    for (const rule of asked) rule.question = key;
    for (const rule of then) rule.then = key;
    question.key = key;
  }

  // While two questions have one key, the rules are those of the one that had it first.
  #rulesAbout({ key }) {
    const rules = this.content.questions.filter((each) => each.key === key).length > 1 ? [] : this.everyRule;
    return { asked: rules.filter((rule) => rule.question === key), then: rules.filter((rule) => rule.then === key) };
  }

  // --- drawing --------------------------------------------------------------------------------------------

  redraw(focus) {
    this.draw();
    this.changed();
    document.querySelector(focus)?.focus();
  }

  draw() {
    for (const name of ["title", "name", "kind"]) byId(`form-${name}`).value = this.content[name] ?? "";
    const { questions, rules } = this.content;
    byId("form-questions").replaceChildren(...questions.map((question, at) => this.#card(question, at)));
    byId("form-rules").replaceChildren(...rules.map((rule, at) => this.#rule(rule, at)));
    byId("undo").hidden = !this.removed.length;
    byId("undo").textContent = this.removed.length ? `Undo: bring “${this.removed.at(-1).words}” back` : "";
    byId("add-rule").disabled = !this.#asked().length;
    this.showFaults();
  }

  showFaults() {
    for (const problem of this.root.querySelectorAll("[data-question-problem]")) {
      const own = this.faults.filter(({ question }) => question === Number(problem.dataset.questionProblem));
      problem.textContent = own.map(({ reason }) => reason).join(" ");
      problem.hidden = !own.length;
    }
    const general = this.faults.filter(({ question }) => question === null);
    byId("form-problem").textContent = general.map(({ reason }) => reason).join(" ");
    byId("form-problem").hidden = !general.length;
    const checks = this.faults.length
      ? [{ words: `${this.faults.length} ${this.faults.length === 1 ? "thing" : "things"} to correct before this form can be used.`, good: false }]
      : [];
    const listed = [...checks, ...this.checks];
    byId("form-checks").replaceChildren(
      ...listed.map(({ words, good }) => element("li", { class: good ? "good" : "think" }, words)),
    );
  }

  #card(question, at) {
    const name = question.text || `question ${at + 1}`;
    const last = this.content.questions.length - 1;
    const is = at === this.open;
    const head = element(
      "header",
      {},
      element("h3", {}, `${at + 1} · ${question.text || "New question"}`),
      element("span", { class: "muted" }, this.#words(question)),
      icon("↑", `Move ${name} up`, () => this.move(this.content.questions, at, -1, `#question-${at - 1} header`), at === 0),
      icon("↓", `Move ${name} down`, () => this.move(this.content.questions, at, 1, `#question-${at + 1} header`), at === last),
      button(is ? "Close" : "Edit", () => this.#toggle(at), { "aria-expanded": String(is), "aria-label": `${is ? "Close" : "Edit"} ${name}` }),
    );
    const problem = element("p", { class: "problem", "data-question-problem": at, hidden: true });
    return element("li", { class: `card${is ? " open" : ""}`, id: `question-${at}` }, head, problem, ...(is ? this.#body(question, at) : []));
  }

  #toggle(at) {
    this.open = this.open === at ? null : at;
    this.draw();
    document.querySelector(`#question-${at} header .button`)?.focus();
  }

  #words(question) {
    const kind = kindOf(question);
    const needed = question.required === false ? "optional" : "required";
    if (kind === "text") return `Text, ${needed}`;
    if (kind.startsWith("named:")) return `${kind.slice(6).replace("_", " ")}, ${needed}`;
    const values = question.scale?.values ?? ["yes", "no"];
    return `${values.join(", ")}; ${needed}`;
  }

  #body(question, at) {
    const set = (name) => ({ target }) => {
      question[name] = target.value;
      this.changed();
    };
    const text = element("input", {
      type: "text", id: `question-text-${at}`, value: question.text ?? "", maxLength: 2000,
      oninput: ({ target }) => {
        this.rename(question, target.value);
        this.root.querySelector(`#question-key-${at}`).value = question.key;
        this.root.querySelector(`#question-${at} h3`).textContent = `${at + 1} · ${target.value || "New question"}`;
        this.changed();
      },
    });
    const named = this.terms.ready_made.map((name) => [`named:${name}`, `Ready made: ${name.replace("_", " ")}`]);
    const kind = select([...KINDS, ...named], kindOf(question), (chosen) => {
      const known = this.kinds.get(question) ?? {};
      this.kinds.set(question, { ...known, [kindOf(question)]: { scale: question.scale, anchors: question.anchors ?? {} } });
      const { positive: _, ...other } = asKind(question, chosen, known[chosen]);
      delete question.positive;
      Object.assign(question, other);
      this.redraw(`#question-kind-${at}`);
    }, { id: `question-kind-${at}` });
    const required = element("input", {
      type: "checkbox", checked: question.required !== false,
      onchange: ({ target }) => {
        question.required = target.checked;
        this.changed();
      },
    });
    const key = element("input", {
      type: "text", id: `question-key-${at}`, value: question.key ?? "", maxLength: 90, spellcheck: false,
      onfocus: () => (this.ruled = this.#rulesAbout(question)),
      oninput: ({ target }) => {
        this.rekey(question, target.value, this.ruled);
        this.changed();
      },
    });
    return [
      element("div", { class: "two-fields" }, field("Question", text), field("Kind", kind)),
      field("Help under the question (optional)", element("input", { type: "text", value: question.help ?? "", maxLength: 2000, oninput: set("help") })),
      ...this.#values(question, at),
      element("label", { class: "check" }, required, " An answer is required"),
      element("details", {}, element("summary", {}, "Name in tables"), field("Small letters, digits and underscores", key)),
      element("p", {}, button("Remove this question", () => this.removeQuestion(at), { class: "button quiet small" })),
    ];
  }

  #values(question, at) {
    const kind = kindOf(question);
    if (kind === "number") return [this.#number(question)];
    if (kind !== "levels" && kind !== "choices") return [];
    const { scale } = question;
    const rows = scale.values.flatMap((value, place) => this.#level(question, at, value, place));
    const correctness = element("input", {
      type: "checkbox", checked: scale.correctness ?? kind === "levels",
      onchange: ({ target }) => {
        scale.correctness = target.checked;
        this.changed();
      },
    });
    return [
      element("table", { class: "levels" },
        element("thead", {}, element("tr", {}, ...["Level", "Meaning, in words", "Solved", ""].map((words) => element("th", { scope: "col" }, words)))),
        element("tbody", {}, ...rows)),
      element("p", {}, button(kind === "levels" ? "Add a level" : "Add a choice", () => this.#addLevel(question, at), { disabled: scale.values.length >= MAX_VALUES })),
      ...(kind === "levels"
        ? [
            element("p", { class: "help" }, "Scores count the share of proofs at a level that is ticked. The levels that count as solved are at one end of the scale. Agreement uses the order."),
            element("label", { class: "check" }, correctness, " This is about correctness: “solved” contradicts a fatal comment"),
          ]
        : []),
    ];
  }

  #level(question, at, value, place) {
    const { scale } = question;
    const focus = (row, what) => `#question-${at} .level-${row} ${what}`;
    const solved = element("input", {
      type: "checkbox", checked: (scale.success ?? []).includes(value), "aria-label": `Level ${place + 1} counts as solved`,
      onchange: ({ target }) => {
        const chosen = new Set(scale.success ?? []);
        if (target.checked) chosen.add(scale.values[place]);
        else chosen.delete(scale.values[place]);
        scale.success = scale.values.filter((each) => chosen.has(each));
        this.redraw(focus(place, "[type=checkbox]"));
      },
    });
    const name = element("input", {
      type: "text", value, maxLength: 40, "aria-label": `Name of level ${place + 1}`,
      onfocus: () => (this.named = this.#namesBefore(question, place)),
      oninput: ({ target }) => this.#renameValue(question, place, target.value, this.named),
    });
    const meaning = element("textarea", {
      rows: 1, value: question.anchors?.[value] ?? "", "aria-label": `Meaning of level ${place + 1}`,
      oninput: ({ target }) => {
        question.anchors = { ...question.anchors, [scale.values[place]]: target.value };
        if (!target.value) delete question.anchors[scale.values[place]];
        this.changed();
      },
    });
    const tools = element("td", { class: "level-tools" },
      icon("↑", `Move level ${place + 1} up`, () => this.move(scale.values, place, -1, focus(place - 1, "")), place === 0),
      icon("↓", `Move level ${place + 1} down`, () => this.move(scale.values, place, 1, focus(place + 1, "")), place === scale.values.length - 1),
      icon("✕", `Remove level ${place + 1}`, () => this.#removeLevel(question, place), scale.values.length <= 2));
    const row = element("tr", { class: `level-${place}` }, element("td", {}, name), element("td", { class: "meaning" }, meaning), element("td", { class: "solved" }, solved), tools);
    const success = scale.success ?? [];
    const ends = scale.level === "ordinal" && success.includes(value) && place + 1 < scale.values.length && !success.includes(scale.values[place + 1]);
    return ends ? [row, element("tr", { class: "threshold" }, element("td", { colSpan: 4 }, element("span", {}, "above: counts as solved")))] : [row];
  }

  // What hangs on names before one of them is retyped. On its way it may be the name of another level for a moment
  // ("good" before "good enough"), and must not take along what belongs to that level.
  #namesBefore({ scale, anchors, key }, place) {
    const rules = this.everyRule.map((rule) => ({ rule, values: rule.values, allowed: rule.allowed }));
    const own = rules.filter(({ rule }) => rule.question === key || rule.then === key);
    return { before: scale.values[place], success: scale.success ?? [], anchors: anchors ?? {}, rules: own };
  }

  #renameValue(question, place, name, { before, success, anchors, rules }) {
    const { scale } = question;
    scale.values[place] = name;
    const shared = scale.values.includes(before);
    const renamed = (list) => [...new Set(list.flatMap((value) => (value !== before ? [value] : shared ? [value, name] : [name])))];
    scale.success = renamed(success);
    const { [before]: meaning, ...others } = anchors;
    if (meaning !== undefined) question.anchors = { [name]: meaning, ...(shared ? anchors : others) };
    for (const { rule, values, allowed } of rules) {
      if (rule.question === question.key && values) rule.values = renamed(values);
      if (rule.then === question.key && allowed) rule.allowed = renamed(allowed);
    }
    this.changed();
  }

  #addLevel(question, at) {
    const { values } = question.scale;
    let number = values.length + 1;
    while (values.includes(`level ${number}`)) number += 1;
    values.push(`level ${number}`);
    const name = `#question-${at} .level-${values.length - 1} input`;
    this.redraw(name);
    document.querySelector(name).select(); // what is typed replaces it
  }

  #removeLevel(question, place) {
    const [value] = question.scale.values.splice(place, 1);
    const success = question.scale.success ?? [];
    const meaning = question.anchors?.[value];
    question.scale.success = success.filter((each) => each !== value);
    delete question.anchors?.[value];
    const back = () => {
      const { scale } = question;
      const at = this.content.questions.indexOf(question);
      if (!Array.isArray(scale?.values)) return `#question-${at}`; // of another kind since
      scale.values.splice(place, 0, value);
      if (success.includes(value)) scale.success = [...(scale.success ?? []), value];
      if (meaning !== undefined) question.anchors = { ...question.anchors, [value]: meaning };
      this.open = at;
      return `#question-${at} .level-${place} input`;
    };
    this.removed.push({ words: value, rules: [], back });
    this.redraw("#undo");
  }

  #number(question) {
    const { values } = question.scale;
    const [least, most] = [Number(values[0]), Number(values.at(-1))];
    const step = values.length > 1 ? Number((Number(values[1]) - least).toFixed(6)) : 1;
    const inputs = {};
    // From what there was: "1" on the way to "10" must lose neither the meanings nor what counts as solved.
    const { success = [] } = question.scale;
    const meanings = Object.entries(question.anchors ?? {});
    const from = (limit) => (numbers) => (limit === "" ? [] : numbers.filter((value) => Number(value) >= Number(limit)));
    let solved = from(success[0] ?? "");
    if (success.length !== solved(values).length) solved = (numbers) => success.filter((value) => numbers.includes(value)); // by REST
    const change = () => {
      const numbers = numbersFrom(Number(inputs.least.value), Number(inputs.most.value), Number(inputs.step.value) || 1);
      question.scale.values = numbers;
      question.scale.success = solved(numbers);
      question.anchors = Object.fromEntries(meanings.filter(([value]) => numbers.includes(value)));
      this.changed();
    };
    const input = (name, value) => (inputs[name] = element("input", { type: "number", value, step: "any", oninput: change }));
    const limit = element("input", {
      type: "number", step: "any", value: success[0] ?? "",
      oninput: ({ target }) => {
        solved = from(target.value);
        question.scale.success = solved(question.scale.values);
        this.changed();
      },
    });
    return element("div", { class: "number-fields" }, field("From", input("least", least)), field("to", input("most", most)), field("in steps of", input("step", step)), field("solved from (optional)", limit));
  }

  // --- rules ----------------------------------------------------------------------------------------------

  // Questions that a rule can be about: those with one value as their answer.
  #asked() {
    return this.content.questions.filter((question) => this.#valuesOf(question).length);
  }

  #valuesOf(question) {
    if (typeof question?.scale === "object") return question.scale?.values ?? [];
    return { flag: ["yes", "no"], predicate: ["yes", "no", "uncertain"], correctness: ["correct", "inconclusive", "incorrect"] }[question?.scale] ?? [];
  }

  addRule() {
    const [question] = this.#asked();
    this.content.rules.push({ question: question.key, values: [this.#valuesOf(question).at(-1)], comments_at_least: "major" });
    this.redraw("#form-rules > li:last-child select");
  }

  // The focus stays on the control that was used: the next arrow key would change another one.
  #redrawRule(at) {
    const controls = () => [...document.querySelectorAll(`#rule-${at} :is(select, input)`)];
    const place = controls().indexOf(document.activeElement);
    this.redraw(`#rule-${at} select`);
    controls()[place]?.focus();
  }

  #rule(rule, at) {
    const asked = this.#asked();
    const named = asked.map(({ key, text }) => [key, text || key]);
    const question = asked.find(({ key }) => key === rule.question);
    const change = (changes) => {
      const { then: _, allowed: __, comments_at_least: ___, comments_at_most: ____, ...rest } = rule;
      this.content.rules[at] = { ...rest, ...changes };
      this.#redrawRule(at);
    };
    const keep = Object.fromEntries(["then", "allowed", "comments_at_least", "comments_at_most"].filter((name) => rule[name]).map((name) => [name, rule[name]]));
    const demand = rule.then ? `then:${rule.then}` : rule.comments_at_least ? "least" : "most";
    const others = asked.filter(({ key }) => key !== rule.question).map(({ key, text }) => [`then:${key}`, `the answer to “${text || key}” must be`]);
    const pick = select(
      [...others, ["least", "some comment must be at least"], ["most", "no comment may be more serious than"]],
      demand,
      (chosen) => {
        if (chosen === "least") change({ comments_at_least: "major" });
        else if (chosen === "most") change({ comments_at_most: "typo" });
        else {
          const then = chosen.slice(5);
          change({ then, allowed: [this.#valuesOf(asked.find(({ key }) => key === then))[0]] });
        }
      },
      { "aria-label": "What the rule demands" },
    );
    const severities = this.terms.severities.map((word) => [word, word]);
    const target = rule.then
      ? this.#several(this.#valuesOf(asked.find(({ key }) => key === rule.then)), rule.allowed ?? [], (allowed) => change({ then: rule.then, allowed }), "Answers that the rule allows")
      : rule.comments_at_least
        ? select(severities, rule.comments_at_least, (word) => change({ comments_at_least: word }), { "aria-label": "Severity" })
        : select(severities, rule.comments_at_most, (word) => change({ comments_at_most: word }), { "aria-label": "Severity" });
    const message = element("input", {
      type: "text", value: rule.message ?? "", maxLength: 500, placeholder: "What the referee reads (optional: we write a sentence)", "aria-label": "What the referee reads",
      oninput: ({ target: { value } }) => {
        if (value) rule.message = value;
        else delete rule.message;
        this.changed();
      },
    });
    return element("li", { id: `rule-${at}` },
      "If ", select(named, rule.question, (key) => {
        this.content.rules[at] = { ...rule, ...keep, question: key, values: [this.#valuesOf(asked.find((each) => each.key === key))[0]] };
        this.#redrawRule(at);
      }, { "aria-label": "Question of the rule" }),
      " is ", this.#several(this.#valuesOf(question), rule.values ?? [], (values) => change({ ...keep, values }), "Answers for which the rule applies"),
      ", then ", pick, " ", target, message,
      icon("✕", "Remove this rule", () => {
        this.content.rules.splice(at, 1);
        this.redraw("#add-rule");
      }));
  }

  // One or several of the values of a question. Those that it no longer has are shown as long as they are chosen.
  #several(values, chosen, act, name) {
    const box = element("span", { class: "several", role: "group", "aria-label": name });
    const all = [...new Set([...values, ...chosen])];
    for (const value of all) {
      const tick = element("input", {
        type: "checkbox", checked: chosen.includes(value),
        onchange: ({ target }) => act(all.filter((each) => (each === value ? target.checked : chosen.includes(each)))),
      });
      box.append(element("label", { class: "chip" }, tick, " ", value));
    }
    return box;
  }

  // --- preview --------------------------------------------------------------------------------------------

  async preview() {
    const form = byId("preview");
    const tried = new FormData(form);
    const focused = form.contains(document.activeElement) ? [document.activeElement.name, document.activeElement.value] : null;
    const number = (this.asked = (this.asked ?? 0) + 1);
    try {
      const reply = await fetch(this.root.dataset.preview, { method: "POST", body: tried, headers: { "X-CSRFToken": csrfToken() } });
      if (!reply.ok || number !== this.asked) return;
      const shown = new DOMParser().parseFromString(await reply.text(), "text/html");
      form.replaceChildren(...shown.body.childNodes);
      if (focused) [...form.elements].find(({ name, value }) => name === focused[0] && value === focused[1])?.focus();
    } catch {
      // the next save asks again
    }
  }
}

new Editor(byId("editor"), read("draft"), read("terms"));
