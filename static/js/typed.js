// What was typed into a form while another form of the page is sent, for as long as it takes to come back.

const KEPT = `touchstone:typed:${document.body.dataset.person}:${location.pathname}`;

// Texts that were typed into other forms than the one which is sent. What has data-api is saved as one types.
export function keepOthers(form) {
  const typed = {};
  for (const field of document.querySelectorAll('main form[method="post"] :is(textarea, [type="text"], input:not([type]))')) {
    if (field.form === form || !field.id || field.value === field.defaultValue || field.closest("[data-api]")) continue;
    typed[field.id] = field.value;
  }
  if (Object.keys(typed).length) sessionStorage.setItem(KEPT, JSON.stringify(typed));
}

export function bringBack() {
  const typed = JSON.parse(sessionStorage.getItem(KEPT) ?? "{}");
  sessionStorage.removeItem(KEPT);
  for (const [id, text] of Object.entries(typed)) {
    const field = document.getElementById(id);
    if (!field || field.value !== field.defaultValue) continue;
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
}
