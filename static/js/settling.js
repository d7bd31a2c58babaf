// Keys of the page on which sources are settled. They act while a case has the focus, and never while somebody types.

const list = document.getElementById("cases");
const cases = [...document.querySelectorAll(".settling-case")];

function current() {
  return document.activeElement?.closest?.(".settling-case");
}

function go(to) {
  if (!to) return;
  to.focus({ preventScroll: true });
  to.scrollIntoView({ block: "nearest" });
}

function act(key, at) {
  const here = cases[at];
  const acts = {
    s: () => here.querySelector('[value="same"]').click(),
    d: () => here.querySelector('[value="different"]').click(),
    j: () => go(cases[at + 1]),
    k: () => go(cases[at - 1]),
    n: () => here.querySelector("textarea").focus(),
    u: () => document.querySelector("#undo button")?.click(),
  };
  acts[key]?.();
  return key in acts;
}

list?.addEventListener("keydown", (event) => {
  const here = current();
  if (!here || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target.matches("textarea")) {
    if (event.key === "Escape") go(here);
    return;
  }
  if (act(event.key.toLowerCase(), cases.indexOf(here))) event.preventDefault();
});

const next = cases.find((one) => `#${one.id}` === location.hash);
if (next) go(next);
else cases[0]?.focus({ preventScroll: true });
