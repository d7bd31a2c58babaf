// Arrows move between the cells of the grid, which are links in reading order without this script.

import "./menu.js";

const STEPS = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };

const rows = [...document.querySelectorAll(".pgrid tbody tr:not(.field-row)")].map((row) => [
  ...row.querySelectorAll("td"),
]);

document.querySelector(".pgrid")?.addEventListener("keydown", (event) => {
  const step = STEPS[event.key];
  const cell = event.target.closest?.("td");
  if (!step || !cell || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const at = rows.findIndex((row) => row.includes(cell));
  const link = rows[at + step[0]]?.[rows[at].indexOf(cell) + step[1]]?.querySelector("a");
  if (!link) return;
  event.preventDefault();
  link.focus();
});
