// Forms other than the grading form (training, second answers, amendments): nothing typed is lost there either.
// The reason of later answers travels as the note of the content.

import { keepOthers } from "../typed.js";
import { csrfToken } from "./api.js";
import { Autosave } from "./autosave.js";
import { GradingForm } from "./form.js";
import { onSignedIn } from "./session.js";
import { SaveState } from "./state.js";
import { Versions } from "./versions.js";

class SideForm extends GradingForm {
  content() {
    return { ...super.content(), note: this.form.elements.reason?.value ?? "" };
  }

  fill(content) {
    super.fill(content);
    if (this.form.elements.reason) this.form.elements.reason.value = content.note ?? "";
    if (this.form.closest("details")) this.form.closest("details").open = true;
  }
}

function wire(page) {
  const form = new SideForm(page, JSON.parse(document.getElementById("content").textContent));
  const state = new SaveState(document.getElementById("save-state"), page.dataset.login);
  const autosave = new Autosave({
    handle: page.dataset.handle,
    address: page.dataset.api,
    version: Number(page.dataset.version),
    content: () => form.content(),
    seconds: () => 0,
    show: (word, reason) => state.show(word, reason),
    conflict: (stored) => versions.choose(form.content(), stored),
  });
  const versions = new Versions({ form, autosave, state, fill: (content) => form.fill(content) });
  const refusal = page.querySelector("[data-problem]:not([hidden])") && document.getElementById("refusal");
  page.addEventListener("input", () => {
    autosave.changed();
    if (refusal && !form.hasProblemsLeft()) refusal.hidden = true;
  });
  let leaving = false;
  page.addEventListener("submit", async (event) => {
    event.preventDefault();
    // Leaving the page is safe only once the server has everything; until then the state says why it stays.
    // A training item answered in another tab is saved no more: the server shows that answer, and the gold.
    const mayLeave = async () =>
      (await autosave.flush()) || ("training" in page.dataset && autosave.refused === "already_answered");
    if (leaving || !(await mayLeave()) || leaving) return;
    leaving = true;
    page.elements.csrfmiddlewaretoken.value = csrfToken(); // signing in again changed it
    keepOthers(page); // forms.js does not see it go
    page.submit();
  });
  onSignedIn(() => autosave.flush());
  if (autosave.version) state.show("loaded");
  versions.restore();
}

const page = document.getElementById("answers");
if (page) wire(page);
