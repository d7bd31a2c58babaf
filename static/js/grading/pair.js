// Two proofs beside each other: scrolled together on request, or one below the other.

import { keep, kept } from "../kept.js";

const NAME = "touchstone:pair";

// How far a proof is scrolled, from 0 at its top to 1 at its end.
function share(proof) {
  return proof.scrollTop / Math.max(1, proof.scrollHeight - proof.clientHeight);
}

export class Pair {
  constructor({ pair, link, stack }) {
    this.pair = pair;
    this.proofs = [...pair.querySelectorAll(":scope > .proof")];
    this.choice = kept(NAME) ?? {};
    this.buttons = { linked: link, stacked: stack };
    for (const [name, button] of Object.entries(this.buttons)) {
      button.hidden = false;
      button.addEventListener("click", () => this.toggle(name));
    }
    for (const proof of this.proofs) {
      proof.addEventListener("scroll", () => this.#follow(proof), { passive: true });
    }
    this.#show();
  }

  toggle(name) {
    this.choice[name] = !this.choice[name];
    keep(NAME, this.choice);
    this.#show();
    if (name === "linked") this.#follow(this.proofs[0]);
  }

  #show() {
    for (const [name, button] of Object.entries(this.buttons)) {
      button.setAttribute("aria-pressed", String(Boolean(this.choice[name])));
    }
    this.pair.classList.toggle("stacked", Boolean(this.choice.stacked));
  }

  // Where the other proof would stand is where it stands: so its own scroll event moves nothing back.
  #follow(proof) {
    if (!this.choice.linked) return;
    const other = this.proofs.find((one) => one !== proof);
    const target = share(proof) * (other.scrollHeight - other.clientHeight);
    if (Math.abs(other.scrollTop - target) > 2) other.scrollTop = target;
  }
}
