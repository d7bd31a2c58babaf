// A file may be dropped on #drop instead of chosen; a file above the limit is refused before it is sent.

const form = document.getElementById("upload");
const place = document.getElementById("drop");
const input = form.querySelector('input[type="file"]');
const said = document.getElementById("chosen");
const limit = Number(form.dataset.limit);

function tell() {
  const file = input.files[0];
  if (!file) return;
  const tooLarge = file.size > limit;
  input.setCustomValidity(tooLarge ? `The file is larger than ${Math.floor(limit / 1048576)} MB.` : "");
  said.textContent = tooLarge ? input.validationMessage : `${file.name} is chosen.`;
}

for (const kind of ["dragenter", "dragover"]) {
  place.addEventListener(kind, (event) => {
    event.preventDefault();
    place.classList.add("over");
  });
}
for (const kind of ["dragleave", "drop"]) place.addEventListener(kind, () => place.classList.remove("over"));
place.addEventListener("drop", (event) => {
  event.preventDefault();
  if (!event.dataTransfer.files.length) return;
  input.files = event.dataTransfer.files;
  tell();
  form.querySelector("button").focus();
});
input.addEventListener("change", tell);
