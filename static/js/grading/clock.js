// Active time: seconds in which the page was visible and something was done within the last minute.

const IDLE_AFTER = 60;
const SIGNS = ["keydown", "pointerdown", "pointermove", "wheel", "touchstart", "scroll"];

export class Clock {
  constructor(output, seconds) {
    this.output = output;
    this.seconds = seconds;
    this.idle = 0;
    for (const sign of SIGNS) {
      document.addEventListener(sign, () => (this.idle = 0), { passive: true, capture: true });
    }
    setInterval(() => this.#tick(), 1000);
    this.#show();
  }

  #tick() {
    this.idle += 1;
    if (document.hidden || this.idle > IDLE_AFTER) return;
    this.seconds += 1;
    this.#show();
  }

  #show() {
    const minutes = Math.floor(this.seconds / 60);
    this.output.textContent = minutes < 1 ? "under a minute" : `${minutes} min active`;
  }
}
