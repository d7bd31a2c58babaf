// The grading page: wires reading, form, autosave, comments, keys and divider together.

import { Book } from "../reading/book.js";
import { csrfToken } from "./api.js";
import { Autosave } from "./autosave.js";
import { Bank } from "./bank.js";
import { Bindings } from "./bindings.js";
import { Blocks } from "./blocks.js";
import { Clock } from "./clock.js";
import { Comments } from "./comments.js";
import { Flags } from "./flags.js";
import { GradingForm } from "./form.js";
import { showIfNew } from "./instructions.js";
import { Keys } from "./keys.js";
import { wireMarks } from "./marks.js";
import { Pair } from "./pair.js";
import { Pdfs } from "./pdfs.js";
import { SearchPanel } from "./search.js";
import { SelectionTools } from "./selection.js";
import { onSignedIn } from "./session.js";
import { SaveState } from "./state.js";
import { Steps } from "./steps.js";
import { Submission } from "./submit.js";
import { Versions } from "./versions.js";

const byId = (id) => document.getElementById(id);
const page = byId("answers");
if (byId("instructions")) showIfNew(byId("instructions"));
const form = new GradingForm(page, JSON.parse(byId("content").textContent));
const state = new SaveState(byId("save-state"), page.dataset.login);
const clock = new Clock(byId("clock"), Number(page.dataset.seconds));
const blocks = new Blocks(byId("paper"));

const stepRows = form.questions.flatMap((question) => [...question.querySelectorAll("[data-step]")]);
const pdfs = new Pdfs({ root: byId("split"), reach: (element) => book.beside.reach(element) });
const book = new Book({
  name: page.dataset.handle,
  steps: stepRows.map(({ dataset }) => ({ name: dataset.name, blocks: dataset.blocks.split(" ") })),
  sheets: {
    answers: { element: page },
    comments: { element: page, opened: () => byId("comments-title").scrollIntoView() },
  },
});

const autosave = new Autosave({
  handle: page.dataset.handle,
  address: page.dataset.api,
  version: Number(page.dataset.version),
  content: () => form.content(),
  seconds: () => clock.seconds,
  show(word, reason) {
    state.show(word, reason);
    if (word === "saved") submission.saved();
  },
  conflict: (stored) => versions.choose(form.content(), stored),
});

const bank = new Bank({ ...JSON.parse(byId("comment-bank").textContent), address: page.dataset.bank });

const comments = new Comments({
  form,
  bank,
  blocks,
  pdfs,
  outline: book.outline,
  dock: byId("dock-comments"),
  template: byId("comment-editor"),
  list: byId("comment-list"),
  count: byId("comment-count"),
  none: byId("no-comments"),
  changed,
});

for (const details of document.querySelectorAll("[data-marks]")) wireMarks(details, comments);
pdfs.write = (frame, place) => comments.write(frame, null, place);
const selection = new SelectionTools({ tools: byId("selection-tools"), blocks, pdfs, comments });

const search = page.dataset.search
  ? new SearchPanel({
      address: page.dataset.search,
      count: page.elements.searches,
      buttons: document.querySelectorAll('[data-do="search"]'),
      book,
      blocks,
      comments,
      selection,
      changed,
    })
  : null;

const steps = form.questions
  .filter((question) => question.querySelector("[data-step]"))
  .map((fieldset) => new Steps({ fieldset, blocks, changed }));

const flags = new Flags({
  form,
  section: byId("flags"),
  places: JSON.parse(byId("flag-places").textContent),
  changed,
});

function changed() {
  autosave.changed();
  submission.changed();
  showRemaining();
}

function showRemaining() {
  const open = form.unanswered().length;
  byId("remaining").textContent = open ? `${open} question${open === 1 ? "" : "s"} to answer` : "Complete";
  byId("dock-remaining").textContent = open ? `${open} left` : "complete";
}

function fill(content) {
  comments.close();
  form.fill(content);
  comments.draw();
  for (const labelled of steps) labelled.draw();
  flags.draw();
  showRemaining();
}

const versions = new Versions({
  form,
  autosave,
  state,
  fill,
  resumed: ({ seconds }) => (clock.seconds = Math.max(clock.seconds, seconds)),
});

const submission = new Submission({ form, page, book, autosave, state, banner: byId("refusal"), clock });

function submit() {
  if (flags.settle()) submission.run();
}

page.addEventListener("input", changed);
page.addEventListener("submit", (event) => {
  if (event.submitter?.getAttribute("form") === "out-of-field") return;
  event.preventDefault();
  submit();
});
byId("out-of-field").addEventListener("submit", async (event) => {
  event.preventDefault();
  if (!confirm(event.target.dataset.confirm)) return;
  await autosave.flush(); // the draft is kept, with its last words
  event.target.elements.csrfmiddlewaretoken.value = csrfToken(); // signing in again changed it
  event.target.submit();
});
for (const button of document.querySelectorAll("#show-keys")) {
  button.hidden = false;
  button.addEventListener("click", () => byId("keys").showModal());
}

const pair = byId("pair")
  ? new Pair({ pair: byId("pair"), link: byId("link-scrolling"), stack: byId("stack-proofs") })
  : null;

const keys = byId("keys");
new Keys({
  bindings: new Bindings({ list: keys, problem: byId("keys-problem"), reset: byId("reset-keys") }),
  pair,
  questions: form.questions,
  blocks,
  book,
  selection,
  comments,
  search,
  steps,
  submit,
  help: () => byId("keys").showModal(),
});
byId("to-questions").addEventListener("click", () => book.sheets.reveal(page));
page.querySelector('[data-do="back-to-text"]').addEventListener("click", () => book.sheets.close());
onSignedIn(() => autosave.flush());
addEventListener("pageshow", (event) => event.persisted && location.reload());
if (autosave.version) state.show("loaded");
versions.restore();
bank.restore();
showRemaining();
