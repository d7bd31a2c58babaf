// Two versions of one draft, side by side; the reviewer chooses, nothing is overwritten before.

import { where } from "./words.js";

function inWords(content) {
  const lines = Object.entries(content.answers ?? {}).map(([question, value]) => `${question}: ${value}`);
  for (const [question, labels] of Object.entries(content.steps ?? {})) {
    lines.push(`${question}: ${Object.entries(labels).map(([step, value]) => `${step} ${value}`).join(", ") || "no step yet"}`);
  }
  for (const [question, text] of Object.entries(content.comments ?? {})) lines.push(`${question}, comment: ${text}`);
  for (const remark of content.anchored ?? []) lines.push(`${remark.severity} at ${where(remark) || remark.block}: ${remark.text}`);
  for (const flag of content.flags ?? []) lines.push(`flag: ${flag.kind} ${flag.link} ${flag.note}`);
  if (content.note) lines.push(`note: ${content.note}`);
  return lines.join("\n") || "nothing yet";
}

export function askWhich({ mine, stored, keepMine, keepTheirs }) {
  showBoth({ mine: inWords(mine), theirs: inWords(stored.content), keepMine, keepTheirs });
}

// Two versions in words. The dialog stays until one of them is chosen: browsers close it at a repeated Escape, whatever
// `cancel` says, and without a choice nothing would be saved any more.
export function showBoth({ mine, theirs, keepMine, keepTheirs }) {
  const dialog = document.getElementById("conflict");
  document.getElementById("conflict-mine").textContent = mine;
  document.getElementById("conflict-theirs").textContent = theirs;
  let chosen = false;
  const choose = (act) => () => {
    chosen = true;
    dialog.close();
    act();
  };
  document.getElementById("keep-mine").onclick = choose(keepMine);
  document.getElementById("keep-theirs").onclick = choose(keepTheirs);
  dialog.oncancel = (event) => event.preventDefault();
  dialog.onclose = () => chosen || dialog.open || dialog.showModal();
  dialog.showModal();
}
