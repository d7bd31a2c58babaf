// The instructions of a campaign, open where this browser has not shown them yet: they may change while reviewers work.

import { keep, kept } from "../kept.js";

export function showIfNew(details) {
  const name = `touchstone:instructions:${details.dataset.campaign}`;
  const words = details.querySelector("p").textContent;
  const before = kept(name);
  if (before === words) return;
  details.open = true;
  if (before !== null) details.querySelector("summary").textContent = "Instructions, changed since you last read them";
  keep(name, words);
}
