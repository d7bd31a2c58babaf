// The comment bank: own and shared comments that came with the page, and new ones, which this browser keeps
// until the server has them.

import { send } from "./api.js";
import { drop, keep, kept } from "./outbox.js";

const RETRY = 10000;

function folded(text) {
  return text.toLowerCase().normalize("NFKC");
}

export class Bank {
  constructor({ own, shared, owner, address }) {
    this.own = own.map(({ text }) => text);
    this.shared = shared;
    this.address = address;
    this.shelf = `comment-bank:${owner}`; // another person at this browser has another shelf
    this.pending = [];
    this.sending = null;
    addEventListener("online", () => this.flush());
  }

  // What an earlier visit saved while the server was away.
  async restore() {
    const left = (await kept(this.shelf)) ?? [];
    for (const text of left) this.#take(text);
    return this.flush();
  }

  get size() {
    return new Set([...this.own, ...this.shared]).size;
  }

  // Comments that hold every word of `query`, own ones first: [{text, shared}].
  matching(query) {
    const sought = folded(query).split(/\s+/).filter(Boolean);
    const mine = new Set(this.own);
    const all = [
      ...[...mine].sort().map((text) => ({ text, shared: false })),
      ...this.shared.filter((text) => !mine.has(text)).map((text) => ({ text, shared: true })),
    ];
    return all.filter(({ text }) => sought.every((word) => folded(text).includes(word)));
  }

  // Resolves to "saved", "known", "kept" (in this browser, until the server answers) or a reason of refusal.
  async save(text) {
    if (this.own.includes(text)) return "known";
    this.#take(text);
    const safe = await keep(this.shelf, this.pending);
    const refusal = await this.flush(text);
    if (refusal) return refusal;
    if (!this.pending.includes(text)) return "saved";
    return safe ? "kept" : "The server cannot be reached and this browser cannot keep the comment; save it again later.";
  }

  // Sends what is pending, one after the other; resolves to the reason why `asked` was refused, if it was.
  async flush(asked) {
    while (this.sending) await this.sending;
    this.sending = this.#sendAll(asked);
    const refusal = await this.sending;
    this.sending = null;
    return refusal;
  }

  async #sendAll(asked) {
    let refusal = null;
    for (const text of [...this.pending]) {
      const reply = await send("POST", this.address, { text });
      if (reply.kind === "away" || reply.kind === "signed-out") {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.flush(), RETRY);
        break;
      }
      this.pending = this.pending.filter((other) => other !== text);
      if (reply.kind === "refused") {
        this.own = this.own.filter((other) => other !== text);
        if (text === asked) refusal = reply.body.reason ?? "The comment was not saved.";
      }
    }
    await (this.pending.length ? keep(this.shelf, this.pending) : drop(this.shelf));
    return refusal;
  }

  #take(text) {
    if (!this.own.includes(text)) this.own.push(text);
    if (!this.pending.includes(text)) this.pending.push(text);
  }
}
