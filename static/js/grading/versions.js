// What to go on with when there are two versions: of the server's draft, and of what this browser has kept.

import { askWhich } from "./conflict.js";

export class Versions {
  constructor({ form, autosave, state, fill, resumed = () => {} }) {
    Object.assign(this, { form, autosave, state, fill, resumed });
  }

  // Both side by side; nothing is overwritten before the reviewer has chosen.
  choose(mine, stored) {
    askWhich({
      mine,
      stored,
      keepMine: () => {
        this.fill(mine);
        this.autosave.continueFrom(stored.version);
        this.autosave.changed();
        this.autosave.flush();
      },
      keepTheirs: () => {
        this.fill(stored.content);
        this.autosave.continueFrom(stored.version, this.form.content());
        this.state.show("saved");
      },
    });
  }

  // Takes up what an earlier visit left in this browser; `resumed` is told. It is saved at once, before anything is
  // added: the earlier visit's own save may still be under way, and the same text is no other version.
  async restore() {
    const loaded = JSON.stringify(this.form.content());
    const leftover = await this.autosave.leftover();
    if (!leftover) return;
    const stored = { version: this.autosave.version, content: this.form.content() };
    const typedMeanwhile = JSON.stringify(stored.content) !== loaded;
    if (leftover.base !== this.autosave.version || typedMeanwhile) {
      this.autosave.stopped = true;
      this.choose(leftover.content, stored);
      return;
    }
    this.fill(leftover.content);
    this.resumed(leftover);
    this.state.show("restored");
    this.autosave.flush();
  }
}
