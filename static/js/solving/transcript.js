// A transcript: long texts are loaded when a step or an entry of memory is opened; keys go from step to step, and
// memory can be filtered. Addresses with #r2.p1 open that step.

import { renderMath } from "../math.js";

const AGAIN = 1500; // milliseconds until a text that a worker is still rendering is asked for again
const TRIES = 20;

async function load(details, tries = TRIES) {
  const inside = details.querySelector(":scope > .inside");
  details.dataset.state = "loading";
  const reply = await fetch(details.dataset.url, { headers: { "X-Fragment": details.dataset.fragment }, redirect: "error" });
  if (!reply.ok) throw new Error(`${reply.status}`);
  const before = document.activeElement;
  if (inside.contains(before) && before !== inside) return; // somebody reads with the keyboard inside
  inside.innerHTML = await reply.text();
  details.dataset.state = "done";
  await renderMath(inside);
  if (inside.firstElementChild?.dataset.waiting === "yes" && tries > 0 && details.open) {
    setTimeout(() => load(details, tries - 1).catch(() => failed(details)), AGAIN);
  }
}

function failed(details) {
  delete details.dataset.state; // opening it again asks again
}

document.addEventListener(
  "toggle",
  (event) => {
    const details = event.target;
    if (!details.matches?.("details[data-url]") || !details.open || details.dataset.state) return;
    load(details).catch(() => failed(details));
  },
  true, // toggle does not bubble
);

// --- keys

const steps = [...document.querySelectorAll("details.step")];

function current() {
  return steps.indexOf(document.activeElement?.closest("details.step"));
}

function go(place) {
  const to = steps[place];
  if (!to) return;
  to.querySelector("summary").focus({ preventScroll: true });
  to.scrollIntoView({ block: "nearest" });
}

const acts = {
  j: () => go(Math.min(current() + 1, steps.length - 1)),
  k: () => go(Math.max(current() - 1, 0)),
  o: () => {
    const here = steps[current()];
    if (here) here.open = !here.open;
  },
  m: () => {
    const memory = document.getElementById("memory-title");
    memory?.focus({ preventScroll: true });
    memory?.scrollIntoView({ block: "start" });
  },
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select")) return;
  const act = acts[event.key];
  if (!act) return;
  act();
  event.preventDefault();
});

// --- the address names a step or an entry

function openTarget() {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!named?.matches("details")) return;
  named.open = true;
  named.querySelector("summary").focus({ preventScroll: true });
  named.scrollIntoView({ block: "start" });
}

window.addEventListener("hashchange", openTarget);
openTarget();

// --- filters of memory

const filters = document.querySelector(".filters");

function filter() {
  const wanted = Object.fromEntries(new FormData(filters));
  let shown = 0;
  const entries = document.querySelectorAll("details.entry");
  for (const entry of entries) {
    const fits = Object.entries(wanted).every(([name, value]) => !value || entry.dataset[name] === value);
    entry.hidden = !fits;
    shown += fits;
  }
  document.getElementById("memory-count").textContent = `${shown} of ${entries.length} entries`;
}

filters?.addEventListener("change", filter);
addEventListener("pageshow", () => filters && [...new FormData(filters).values()].some(Boolean) && filter()); // back
filters?.addEventListener("submit", (event) => event.preventDefault());
