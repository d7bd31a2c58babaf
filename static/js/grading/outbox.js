// What this browser keeps until the server has it: survives a closed tab, a dead server and a lost session.
// One entry per item: {content, base, seconds}; `base` is the draft version that the text was typed over.

const name = (handle) => `touchstone:draft:${handle}`;

export function keep(handle, entry) {
  try {
    localStorage.setItem(name(handle), JSON.stringify(entry));
    return true;
  } catch {
    return false; // storage is full or forbidden: the page says so
  }
}

export function kept(handle) {
  try {
    return JSON.parse(localStorage.getItem(name(handle)));
  } catch {
    return null;
  }
}

export function drop(handle) {
  try {
    localStorage.removeItem(name(handle));
  } catch {
    // nothing was kept where nothing may be kept
  }
}
