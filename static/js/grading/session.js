// Signing in again without leaving the page: in a small window of the same site, which says when it is done.
// There a second factor, a password reset or a demo account work as on any other day.

const CHANNEL = "touchstone:session";
const WINDOW = "popup,width=520,height=720";

export function openSignIn(address) {
  window.open(address, "touchstone-sign-in", WINDOW)?.focus();
}

export function tellSignedIn() {
  new BroadcastChannel(CHANNEL).postMessage("signed-in");
}

export function onSignedIn(act) {
  new BroadcastChannel(CHANNEL).addEventListener("message", act);
}
