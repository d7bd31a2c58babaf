// A remark that is typed in a discussion is kept in this browser until it is written.

import { drop, keep, kept } from "./outbox.js";

const field = document.getElementById("remark");
const state = document.getElementById("remark-state");

function own() {
  return document.querySelectorAll(".thread [data-own]").length;
}

async function restore(shelf) {
  const entry = await kept(shelf);
  if (!entry) return;
  if (entry.sent && own() > entry.after) {
    drop(shelf);
    return;
  }
  if (field.value !== field.defaultValue) return; // typed meanwhile
  field.value = entry.text;
  state.textContent = "Restored what this browser had kept";
}

async function keepText(shelf, sent) {
  if (!field.value.trim()) {
    drop(shelf);
    state.textContent = "";
    return;
  }
  const safe = await keep(shelf, { text: field.value, after: own(), sent });
  state.textContent = safe ? "Not written yet: kept in this browser" : "Not written yet, and this browser cannot keep it";
}

if (field) {
  const shelf = field.dataset.handle;
  field.addEventListener("input", () => keepText(shelf, false));
  // It is dropped only once the page shows that it has been written.
  field.form.addEventListener("submit", () => keepText(shelf, true));
  restore(shelf);
}
