// Saves the draft: 1.5 s after typing stops, every 5 s while typing, again and again while the server is away.
// Whatever happens, the text is in this browser first.

import { send } from "./api.js";
import { drop, keep, kept } from "./outbox.js";

const QUIET = 1500;
const WHILE_TYPING = 5000;
const RETRY_FIRST = 2000;
const RETRY_MOST = 30000;

// Why the server refused, in words. An item that was given to somebody else while one typed is not found any more.
export function reasonOf({ status, body }) {
  if (status === 404) return "This item is no longer in your queue; your text is kept in this browser.";
  return body.reason;
}

export class Autosave {
  constructor({ handle, address, version, content, seconds, show, conflict }) {
    Object.assign(this, { handle, address, version, content, seconds, show, conflict });
    this.saved = JSON.stringify(content());
    this.retry = RETRY_FIRST;
    this.dirtySince = null;
    this.inFlight = null;
    this.stopped = false;
    this.refused = ""; // why the server took nothing the last time
    addEventListener("online", () => this.flush());
    addEventListener("visibilitychange", () => document.hidden && this.flush());
  }

  // What an earlier visit left in this browser and the server never got: {content, base, seconds} or null.
  async leftover() {
    const entry = await kept(this.handle);
    if (!entry || JSON.stringify(entry.content) === this.saved) {
      drop(this.handle);
      return null;
    }
    return entry;
  }

  changed() {
    if (this.stopped) return;
    if (!this.inFlight && JSON.stringify(this.content()) === this.saved) {
      drop(this.handle); // taken back before it was sent: it must not return with a reload
      return;
    }
    keep(this.handle, { content: this.content(), base: this.version, seconds: this.seconds() }).then((safe) => {
      if (!safe) this.show("unsafe");
    });
    this.dirtySince ??= Date.now();
    const wait = Math.min(QUIET, Math.max(0, this.dirtySince + WHILE_TYPING - Date.now()));
    this.#plan(wait);
  }

  // Saves now if there is something to save; resolves to true when the server has everything.
  async flush() {
    clearTimeout(this.timer);
    while (this.inFlight) await this.inFlight;
    if (this.stopped) return false;
    if (JSON.stringify(this.content()) === this.saved) return true;
    this.inFlight = this.#save();
    const done = await this.inFlight;
    this.inFlight = null;
    return done;
  }

  // After a choice between two versions, or a submit: go on from this version of the server's.
  continueFrom(version, saved) {
    this.version = version;
    this.saved = saved === undefined ? "" : JSON.stringify(saved);
    this.stopped = false;
  }

  finish() {
    this.stopped = true;
    clearTimeout(this.timer);
    return drop(this.handle);
  }

  #plan(wait) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), wait);
  }

  async #save() {
    const content = this.content();
    this.show("saving");
    this.dirtySince = null;
    const body = { version: this.version, content, active_seconds: this.seconds() };
    const reply = await send("PUT", this.address, body);
    this.refused = reply.kind === "refused" ? reply.body.code : "";
    if (reply.kind === "ok") return this.#kept(content, reply.body);
    if (reply.body.code === "draft_conflict") {
      this.stopped = true;
      this.show("conflict");
      this.conflict(reply.body.stored);
    } else if (reply.kind === "refused") {
      this.show("refused", reasonOf(reply));
    } else {
      this.show(reply.kind);
      this.#plan(this.retry);
      this.retry = Math.min(this.retry * 2, RETRY_MOST);
    }
    return false;
  }

  #kept(content, draft) {
    this.version = draft.version;
    this.saved = JSON.stringify(content);
    this.retry = RETRY_FIRST;
    this.show("saved");
    if (JSON.stringify(this.content()) === this.saved) drop(this.handle);
    else this.changed();
    return true;
  }
}
