// Copying, and the keyboard: / goes to the box, j and k go from result to result.

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = !navigator.clipboard;
  const words = button.textContent;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Could not copy";
    }
    setTimeout(() => (button.textContent = words), 2000);
  });
}

const results = [...document.querySelectorAll("#results .result")];

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, textarea, select");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") {
    event.preventDefault();
    document.querySelector("#id_q")?.select();
  } else if (event.key === "j" || event.key === "k") {
    const at = results.indexOf(document.activeElement.closest(".result"));
    const next = results[event.key === "j" ? at + 1 : Math.max(at - 1, 0)];
    next?.focus();
    next?.scrollIntoView({ block: "nearest" });
  }
});
