// Keys of a page of cases. They act while a case has the focus, and never while somebody types. J and K go to the next
// and the previous case, U undoes the last answer; any other presses the button or enters the field that names it.

const cases = [...document.querySelectorAll("#cases > article")];

function go(to) {
  if (!to) return;
  to.focus({ preventScroll: true });
  to.scrollIntoView({ block: "nearest" });
}

document.getElementById("cases")?.addEventListener("keydown", (event) => {
  const here = event.target.closest("article");
  if (!here || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target.matches("textarea")) {
    if (event.key === "Escape") go(here);
    return;
  }
  const key = event.key.toLowerCase();
  const named = [...here.querySelectorAll("[data-key]")].find(({ dataset }) => dataset.key === key);
  if (named?.matches("button")) named.click();
  else if (named) named.focus();
  else if (key === "j") go(cases[cases.indexOf(here) + 1]);
  else if (key === "k") go(cases[cases.indexOf(here) - 1]);
  else if (key === "u") document.querySelector("#undo button")?.click();
  else return;
  event.preventDefault();
});

const next = cases.find((one) => `#${one.id}` === location.hash);
if (next) go(next);
else cases[0]?.focus({ preventScroll: true });
