// Escape and a click elsewhere close the page's menu, which opens and closes by itself without this script.

const menu = document.querySelector("details.menu");

function close(back) {
  if (!menu?.open) return;
  menu.open = false;
  if (back) menu.querySelector("summary").focus();
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") close(menu?.contains(document.activeElement));
});
document.addEventListener("click", (event) => {
  if (!menu?.contains(event.target)) close(false);
});
