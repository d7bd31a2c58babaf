// j and k go to the next and the previous candidate, unless somebody is typing.

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
  const link = ["j", "k"].includes(event.key) && document.querySelector(`a[data-key="${event.key}"]`);
  if (link) link.click();
});
