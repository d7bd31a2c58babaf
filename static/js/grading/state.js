// The visible state of saving, in words.

import { openSignIn } from "./session.js";

export class SaveState {
  constructor(output, login) {
    this.output = output;
    this.login = login;
  }

  show(state, reason = "") {
    // Trying again every few seconds must not take the button from under somebody's hand.
    if (state === "saving" && this.output.dataset.state === "signed-out") return;
    if (state === "signed-out" && this.output.dataset.state === state) return;
    this.output.dataset.state = state;
    this.output.replaceChildren(this.#words(state, reason));
    if (state === "signed-out") this.output.append(this.#signIn());
  }

  #words(state, reason) {
    const clock = new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    return {
      saving: "Saving…",
      saved: `Saved ${clock}`,
      loaded: "Draft loaded",
      restored: "Restored what this browser had kept",
      away: "Server unreachable: kept in this browser, trying again",
      "signed-out": "Signed out: kept in this browser. ",
      unsafe: "This browser cannot keep a copy; saving to the server only",
      conflict: "Changed elsewhere: choose a version",
      submitting: "Submitting…",
      refused: reason,
    }[state];
  }

  #signIn() {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button small";
    button.textContent = "Sign in again";
    button.addEventListener("click", () => openSignIn(this.login));
    return button;
  }
}
