// Keys of the page on which sources are matched with published papers. They act while a pair has the focus.

const list = document.getElementById("cases");
const cases = [...document.querySelectorAll(".matching-case")];

function go(to) {
  if (!to) return;
  to.focus({ preventScroll: true });
  to.scrollIntoView({ block: "nearest" });
}

function act(key, at) {
  const press = (value) => cases[at].querySelector(`button[value="${value}"]`)?.click();
  const acts = {
    y: () => press("same"),
    n: () => press("different"),
    l: () => press("later"),
    j: () => go(cases[at + 1]),
    k: () => go(cases[at - 1]),
    u: () => document.querySelector("#undo button")?.click(),
  };
  acts[key]?.();
  return key in acts;
}

list?.addEventListener("keydown", (event) => {
  const here = document.activeElement?.closest?.(".matching-case");
  if (!here || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (act(event.key.toLowerCase(), cases.indexOf(here))) event.preventDefault();
});

const next = cases.find((one) => `#${one.id}` === location.hash);
if (next) go(next);
else cases[0]?.focus({ preventScroll: true });
