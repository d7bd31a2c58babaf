// Every PDF of the page is opened when it comes into sight.

export function openPdfs(root) {
  const watch = new IntersectionObserver((seen) => {
    for (const { target, isIntersecting } of seen) {
      if (!isIntersecting) continue;
      watch.unobserve(target);
      open(target);
    }
  });
  for (const view of root.querySelectorAll(".pdf-view")) watch.observe(view);
}

async function open(root) {
  try {
    const { PdfView } = await import("./view.js");
    await new PdfView(root).open();
  } catch (reason) {
    const note = document.createElement("p");
    note.className = "notice bad";
    note.setAttribute("role", "alert");
    note.textContent = `This PDF could not be shown (${reason.message}).`;
    root.prepend(note);
  }
}
