// Two versions of one draft, side by side; the reviewer chooses, nothing is overwritten before.

function inWords(content) {
  const lines = Object.entries(content.answers ?? {}).map(([question, value]) => `${question}: ${value}`);
  for (const [question, labels] of Object.entries(content.steps ?? {})) {
    lines.push(`${question}: ${Object.entries(labels).map(([step, value]) => `${step} ${value}`).join(", ") || "no step yet"}`);
  }
  for (const [question, text] of Object.entries(content.comments ?? {})) lines.push(`${question}, comment: ${text}`);
  for (const remark of content.anchored ?? []) lines.push(`${remark.severity} at ${remark.block}: ${remark.text}`);
  for (const flag of content.flags ?? []) lines.push(`flag: ${flag.kind} ${flag.link} ${flag.note}`);
  if (content.note) lines.push(`note: ${content.note}`);
  return lines.join("\n") || "nothing yet";
}

export function askWhich({ mine, stored, keepMine, keepTheirs }) {
  const dialog = document.getElementById("conflict");
  document.getElementById("conflict-mine").textContent = inWords(mine);
  document.getElementById("conflict-theirs").textContent = inWords(stored.content);
  const choose = (act) => () => {
    dialog.close();
    act();
  };
  document.getElementById("keep-mine").onclick = choose(keepMine);
  document.getElementById("keep-theirs").onclick = choose(keepTheirs);
  dialog.addEventListener("cancel", (event) => event.preventDefault());
  dialog.showModal();
}
