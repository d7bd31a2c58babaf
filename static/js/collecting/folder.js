// A folder, several files or one file are chosen or dropped. The server takes one file, so that a folder is packed here,
// without compression, into a ZIP. Fields of a new study are hidden while an existing one is chosen.

import { MOST_FILES, packed } from "./zip.js";

const form = document.getElementById("upload");
const place = document.getElementById("drop");
const input = form.querySelector('input[name="file"]');
const folder = document.getElementById("folder");
const said = document.getElementById("chosen");
const study = form.querySelector('select[name="release"]');
const limit = Number(form.dataset.limit);
const SKIPPED = /(^|\/)(\.|__MACOSX)/;

document.getElementById("choose-folder").hidden = !("webkitdirectory" in folder);

function tell(file) {
  const tooLarge = file.size > limit;
  input.setCustomValidity(tooLarge ? `This is larger than ${Math.floor(limit / 1048576)} MB.` : "");
  said.textContent = tooLarge ? input.validationMessage : `${file.name} is chosen.`;
}

// Take over files with their paths: one as it is, more of them packed. What was chosen before is chosen no more.
async function take(found, name) {
  input.value = "";
  input.setCustomValidity("");
  const files = found.filter(({ path }) => !SKIPPED.test(path));
  const size = files.reduce((sum, { file }) => sum + file.size, 0);
  if (!files.length) {
    said.textContent = "There is no file in it.";
    return;
  }
  if (size > limit || files.length > MOST_FILES) {
    const most = size > limit ? `${Math.floor(limit / 1048576)} MB` : `${MOST_FILES.toLocaleString("en")} files`;
    said.textContent = `This is more than ${most}.`;
    return;
  }
  let chosen = files[0].file;
  if (files.length > 1 || files[0].path.includes("/")) {
    said.textContent = `Packing ${files.length} files …`;
    chosen = new File([await packed(files)], `${name}.zip`, { type: "application/zip" });
  }
  const list = new DataTransfer();
  list.items.add(chosen);
  input.files = list.files;
  tell(chosen);
  if (files.length > 1) said.textContent = `${files.length} files of ${name} are chosen.`;
  form.querySelector("button[type=submit]").focus();
}

function unreadable() {
  said.textContent = "The files could not be read.";
}

// Every file below an entry of the file system, with its path. A reader of a folder gives a hundred at a time.
async function filesBelow(entry) {
  if (entry.isFile) {
    const file = await new Promise((done, failed) => entry.file(done, failed));
    return [{ path: entry.fullPath.replace(/^\//, ""), file }];
  }
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    const some = await new Promise((done, failed) => reader.readEntries(done, failed));
    if (!some.length) return found;
    for (const each of some) found.push(...(await filesBelow(each)));
  }
}

for (const kind of ["dragenter", "dragover"]) {
  place.addEventListener(kind, (event) => {
    event.preventDefault();
    place.classList.add("over");
  });
}
for (const kind of ["dragleave", "drop"]) place.addEventListener(kind, () => place.classList.remove("over"));

place.addEventListener("drop", async (event) => {
  event.preventDefault();
  const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
  if (!entries.length) return;
  try {
    const found = (await Promise.all(entries.map(filesBelow))).flat();
    await take(found, entries.length === 1 ? entries[0].name : "files");
  } catch {
    unreadable();
  }
});

folder.addEventListener("change", () => {
  const files = [...folder.files].map((file) => ({ path: file.webkitRelativePath, file }));
  if (files.length) take(files, files[0].path.split("/")[0]).catch(unreadable);
});

input.addEventListener("change", () => input.files[0] && tell(input.files[0]));

function showStudy() {
  for (const part of form.querySelectorAll(".new-study")) part.hidden = Boolean(study.value);
}
study.addEventListener("change", showStudy);
showStudy();
