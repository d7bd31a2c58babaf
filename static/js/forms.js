// Every form of every page. It is sent once, however often its button is pressed while the site is slow, and with the
// token of the session that is there now: signing in again, in another tab, has changed it. If nobody is signed in any
// more, or somebody else, it is not sent at all, so that what was typed stays on the page. What was typed into other
// forms of the page is there again when the page comes back. A form with data-confirm asks first.

import { csrfToken, whoIsSignedIn } from "./grading/api.js";
import { bringBack, keepOthers } from "./typed.js";

const SAME = 10_000; // milliseconds in which nobody presses the same button of the same form twice on purpose
const OLD = 600_000; // milliseconds after which a page asks whether its person is still signed in

const { person, login } = document.body.dataset;
const signedIn = new WeakSet(); // forms that may go: their person was found signed in just now
let sent = new WeakMap();
let asked = Date.now();
let token = csrfToken();

function isTwice(form, button) {
  const [last, at] = sent.get(form) ?? [null, 0];
  if (last === button && Date.now() - at < SAME) return true;
  sent.set(form, [button, Date.now()]);
  return false;
}

function say(form, { words, link }) {
  const note = form.querySelector(":scope > .not-sent") ?? document.createElement("p");
  note.className = "notice bad not-sent";
  note.setAttribute("role", "alert");
  note.replaceChildren(words);
  if (link) {
    note.append(" ", Object.assign(document.createElement("a"), { href: login, target: "_blank", textContent: link }));
  }
  form.append(note);
}

// What keeps the form from being sent, or null.
async function obstacle() {
  try {
    const now = await whoIsSignedIn();
    if (now === null) return { words: "Not sent: the site is busy. Try again in a moment." };
    if (!now) return { words: "Not sent: you are signed out.", link: "Sign in in another tab, then send this again." };
    if (now !== person) return { words: "Not sent: somebody else has signed in since this page was opened." };
    return null;
  } catch {
    return { words: "Not sent: the site cannot be reached. Try again in a moment." };
  }
}

async function sendIfSignedIn(form, button) {
  const reason = await obstacle();
  sent.delete(form);
  if (reason) {
    say(form, reason);
    return;
  }
  form.querySelector(":scope > .not-sent")?.remove();
  asked = Date.now();
  token = csrfToken();
  signedIn.add(form);
  form.requestSubmit(button);
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post") return;
  const declined = form.dataset.confirm && !signedIn.has(form) && !confirm(form.dataset.confirm);
  if (declined || isTwice(form, event.submitter)) {
    event.preventDefault();
    return;
  }
  if (person && !signedIn.delete(form) && (csrfToken() !== token || Date.now() - asked > OLD)) {
    event.preventDefault();
    sendIfSignedIn(form, event.submitter);
    return;
  }
  const field = form.elements.csrfmiddlewaretoken;
  if (field && csrfToken()) field.value = csrfToken();
  if (form.closest("main")) keepOthers(form);
});

addEventListener("pageshow", () => {
  sent = new WeakMap(); // the back button: what was sent may be sent again
});

bringBack();

// A form that came back refused: go on where it has to be corrected, which may be far down the page. Only now, since an
// address with a fragment takes the focus away while the page is loaded.
addEventListener("load", () => {
  const said = "main .errorlist, main form [role=alert]:not([hidden]), main .question.refused";
  const wrong = document.querySelector('main [aria-invalid="true"]') ?? document.querySelector(said);
  if (wrong?.matches(said)) wrong.tabIndex = -1;
  wrong?.focus();
});
