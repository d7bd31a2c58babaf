// The kinds of questions that the editor offers, and what each is in the content of a form (docs/rubrics.md).

const texts = (list) => (Array.isArray(list) ? list.map(String) : []);

// Content may be anything that was sent by REST: what the editor does not understand becomes empty.
export function understood(content) {
  const tables = (value) => (Array.isArray(value) ? value.filter((each) => each && typeof each === "object") : []);
  const list = (value) => (Array.isArray(value) ? value : []);
  const string = (value) => (typeof value === "string" ? value : "");
  const scale = (given) => (Array.isArray(given?.values) ? { ...given, ...("success" in given ? { success: list(given.success) } : {}) } : string(given) || "text");
  const rule = (given) => ({ ...given, values: list(given.values), ...(given.then ? { allowed: list(given.allowed) } : {}) });
  const question = (given) => ({ ...given, text: string(given.text), key: string(given.key), scale: scale(given.scale) });
  return { ...content, questions: tables(content.questions).map(question), rules: tables(content.rules).map(rule) };
}

// A scale of a form's own: levels, choices, yes or no, a number; or a scale with a name.
export function kindOf({ scale }) {
  if (scale === "text" || scale === "flag") return scale;
  if (typeof scale === "string") return `named:${scale}`;
  if (scale?.level === "ordinal") return "levels";
  if (scale?.level === "interval") return "number";
  return texts(scale?.values).join() === "yes,no" ? "yes-or-no" : "choices";
}

export const KINDS = [
  ["levels", "Levels, best first"],
  ["choices", "Choices without an order"],
  ["yes-or-no", "Yes or no"],
  ["number", "A number"],
  ["text", "Text"],
  ["flag", "A flag: yes or no, rarely yes"],
];

const STARTS = {
  levels: { level: "ordinal", values: ["good", "bad"], success: ["good"] },
  choices: { level: "nominal", values: ["one", "other"], success: [] },
  "yes-or-no": { level: "nominal", values: ["yes", "no"], success: ["yes"] },
  number: { level: "interval", values: ["0", "1", "2", "3"], success: [] },
};

// The question as one of another kind; levels become choices and the other way round. `earlier` is what it was as that
// kind before, if it was: arrow keys pass through all kinds on the way to one.
export function asKind(question, kind, earlier = {}) {
  const before = kindOf(question);
  const { positive: _, ...rest } = question;
  if (kind === "text" || kind === "flag" || kind.startsWith("named:")) {
    return { ...rest, scale: kind.replace("named:", ""), anchors: {} };
  }
  const listed = ["levels", "choices"];
  if (listed.includes(before) && listed.includes(kind)) {
    return { ...rest, scale: { ...structuredClone(question.scale), level: STARTS[kind].level } };
  }
  return { ...rest, scale: structuredClone(STARTS[kind]), anchors: {}, ...earlier };
}

// A name for tables, from the words of the question; `taken` are those of the others.
export function keyFor(text, taken) {
  const plain = text.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "");
  const words = plain.replace(/[^a-z0-9]+/g, "_").replace(/^[_0-9]+/, "").slice(0, 40).replace(/_+$/, "") || "question";
  for (let number = 1; ; number += 1) {
    const key = number === 1 ? words : `${words}_${number}`;
    if (!taken.includes(key)) return key;
  }
}

// All of them, even if they are more than a scale may have: then the server says so, where cutting them off would not.
export function numbersFrom(least, most, step) {
  const found = [];
  for (let at = 0; at < 1000 && least + at * step <= most + 1e-9; at += 1) found.push(String(Number((least + at * step).toFixed(6))));
  return found;
}
