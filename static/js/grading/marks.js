// Marks made in another program: the chosen PDF is read by the server, and its marks are added to the comments.

import { csrfToken } from "./api.js";

function paragraph(words, className = "") {
  return Object.assign(document.createElement("p"), { className, textContent: words });
}

async function readMarks(address, file) {
  const body = new FormData();
  body.append("file", file);
  const reply = await fetch(address, { method: "POST", body, headers: { "X-CSRFToken": csrfToken() }, redirect: "error" });
  const told = (reply.headers.get("Content-Type") ?? "").includes("json") ? await reply.json() : {};
  if (!reply.ok) throw new Error(told.detail ?? "The server could not read the file. Reload the page and try again.");
  return told;
}

export function wireMarks(details, comments) {
  const input = details.querySelector("input");
  const found = details.querySelector(".found-marks");
  const plural = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
  input.addEventListener("input", (event) => event.stopPropagation());
  input.addEventListener("change", async () => {
    const [file] = input.files;
    if (!file) return;
    found.replaceChildren(paragraph("Reading the marks …", "muted"));
    try {
      const { comments: read, lost, unusable } = await readMarks(details.dataset.marks, file);
      const added = comments.add(read);
      const known = read.length - added ? ` ${plural(read.length - added, "comment")} had been read before.` : "";
      found.replaceChildren(paragraph(`${plural(added, "comment")} added.${known} Read them through before you submit.`));
      if (unusable) found.append(paragraph(`${plural(unusable, "mark")} outside the pages could not be read.`));
      if (lost.length) {
        found.append(paragraph(`${plural(lost.length, "mark")} could not be placed in this document:`, "notice"));
        const list = document.createElement("ul");
        list.append(...lost.map((words) => Object.assign(document.createElement("li"), { textContent: words })));
        found.append(list);
      }
    } catch (reason) {
      found.replaceChildren(paragraph(reason.message, "notice bad"));
    }
    input.value = "";
  });
}
