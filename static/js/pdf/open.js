// Every PDF of the page is opened when it comes into sight.

const views = new Map();

export function openPdfs(root) {
  const watch = new IntersectionObserver((seen) => {
    for (const { target, isIntersecting } of seen) {
      if (!isIntersecting) continue;
      watch.unobserve(target);
      viewOf(target);
    }
  });
  for (const view of root.querySelectorAll(".pdf-view")) watch.observe(view);
}

// The view of a PDF, opened now if it was not; undefined if it cannot be.
export function viewOf(root) {
  if (!views.has(root)) views.set(root, open(root));
  return views.get(root);
}

async function open(root) {
  try {
    const { PdfView } = await import("./view.js");
    const view = new PdfView(root);
    await view.open();
    return view;
  } catch (reason) {
    const note = document.createElement("p");
    note.className = "notice bad";
    note.setAttribute("role", "alert");
    note.textContent = `This PDF could not be shown (${reason.message}).`;
    root.prepend(note);
  }
}
