// Submitting: save the draft first, then submit under one key until there is an answer.

import { send } from "./api.js";
import { reasonOf } from "./autosave.js";

const NOT_ANSWERED = {
  away: "Not submitted: the server did not answer. Your text is kept; submit again in a moment.",
  "signed-out": "Not submitted: your session has ended. Your text is kept; sign in again above, then submit.",
};

export class Submission {
  constructor({ form, page, book, autosave, state, banner, clock }) {
    Object.assign(this, { form, page, book, autosave, state, banner, clock });
    this.key = crypto.randomUUID?.() ?? String(Date.now()) + Math.random();
    this.sent = "";
    this.busy = false;
  }

  async run() {
    if (this.busy) return;
    this.busy = true;
    this.#say("");
    try {
      await this.#submit();
    } finally {
      this.busy = false;
    }
  }

  async #submit() {
    await this.autosave.flush();
    if (this.autosave.stopped) return; // two versions: the reviewer chooses first
    const content = this.form.content();
    this.#newKeyIfChanged(content);
    this.state.show("submitting");
    const body = {
      content,
      rubric_sha256: this.page.elements.rubric_sha256.value,
      shown_sha256: this.page.elements.shown_sha256.value,
      draft_version: this.autosave.version,
      active_seconds: this.clock.seconds,
    };
    const reply = await send("POST", this.page.dataset.api, body, { "Idempotency-Key": this.key });
    if (reply.kind === "ok") {
      await this.autosave.finish();
      location.assign(this.page.dataset.next);
      return;
    }
    this.#refused(reply);
  }

  // The banner goes with what it says: once every reason is repaired, or once the server takes text again.
  changed() {
    if (this.cause === "answers" && !this.form.hasProblemsLeft()) this.#say("");
  }

  saved() {
    if (this.cause === "server") this.#say("");
  }

  // One key names one set of answers: a repeated click repeats it, a changed form gets another.
  #newKeyIfChanged(content) {
    const text = JSON.stringify(content);
    if (this.sent && this.sent !== text) this.key = crypto.randomUUID?.() ?? String(Date.now()) + Math.random();
    this.sent = text;
  }

  #refused(reply) {
    if (reply.kind !== "refused") {
      this.state.show(reply.kind);
      this.#say(NOT_ANSWERED[reply.kind], "server");
      return;
    }
    this.state.show("refused", "Not submitted");
    const { problems } = reply.body;
    if (problems) this.book.sheets.reveal(this.page);
    this.form.showProblems(problems ?? {});
    if (problems) this.#say("Not submitted: some answers are missing or contradict each other.", "answers");
    else this.#say(reasonOf(reply));
  }

  #say(words, cause = "") {
    this.cause = cause;
    this.banner.textContent = words;
    this.banner.hidden = !words;
  }
}
