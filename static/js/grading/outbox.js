// What this browser keeps until the server has it: survives a closed tab, a dead server and a lost session.
// One entry per item in IndexedDB: {content, base, seconds}; `base` is the draft version that it was typed over.
// Requests are served in the order in which they were made.

const NAME = "touchstone";
const STORE = "drafts";
let opening = null;

function opened() {
  opening ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opening;
}

async function done(mode, act) {
  const database = await opened();
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(STORE, mode);
    const request = act(transaction.objectStore(STORE));
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(transaction.error);
    transaction.commit();
  });
}

// Resolves to false where nothing can be kept (storage is full or forbidden): the page says so.
export function keep(handle, entry) {
  return done("readwrite", (store) => store.put(entry, handle)).then(
    () => true,
    () => false,
  );
}

export function kept(handle) {
  return done("readonly", (store) => store.get(handle)).catch(() => undefined);
}

export function drop(handle) {
  return done("readwrite", (store) => store.delete(handle)).catch(() => undefined);
}
