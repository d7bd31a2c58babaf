// The visible state of saving, in words.

export class SaveState {
  constructor(output, login) {
    this.output = output;
    this.login = login;
  }

  show(state, reason = "") {
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
      away: "Server away: kept in this browser, trying again",
      "signed-out": "Signed out: kept in this browser. ",
      unsafe: "This browser cannot keep a copy; saving to the server only",
      conflict: "Changed elsewhere: choose a version",
      submitting: "Submitting…",
      refused: reason,
    }[state];
  }

  #signIn() {
    const link = document.createElement("a");
    link.href = this.login;
    link.target = "_blank";
    link.rel = "noopener";
    link.textContent = "Sign in in a new tab; saving then goes on here";
    return link;
  }
}
