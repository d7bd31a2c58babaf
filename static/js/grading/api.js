// Requests to the REST interface with the session's cookie. Every outcome is a plain value, never an exception:
// {kind: "ok" | "refused" | "signed-out" | "away", status, body}.

const TIMEOUT = 15000;

export function csrfToken() {
  // Read at every request: signing in again in another tab changes the token.
  const cookie = document.cookie.split("; ").find((entry) => entry.startsWith("csrftoken="));
  return cookie ? decodeURIComponent(cookie.slice("csrftoken=".length)) : "";
}

const { person, session } = document.body.dataset;
let token = csrfToken();

// Whose session it is now: an address, "" if nobody is signed in; null if the site answers that it cannot say.
export async function whoIsSignedIn(signal) {
  const reply = await fetch(session, { signal });
  if (!reply.ok) return null;
  return new DOMParser().parseFromString(await reply.text(), "text/html").body.dataset.person;
}

// Signing in changed the token: if it was somebody else, in another tab, what this page holds is not theirs.
async function isOfAnother(signal) {
  const now = csrfToken();
  if (!person || now === token) return false;
  const somebody = await whoIsSignedIn(signal);
  if (somebody === person) token = now;
  return Boolean(somebody) && somebody !== person;
}

function kindOf(status, reply) {
  if (status >= 200 && status < 300) return "ok";
  if (status >= 500 || status === 429) return "away";
  // 403 also answers a CSRF token of an ended session; our own refusals say "not_allowed".
  if (status === 401 || (status === 403 && reply.code !== "not_allowed")) return "signed-out";
  return "refused";
}

export async function send(method, address, body, headers = {}) {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), TIMEOUT);
  try {
    if (await isOfAnother(abort.signal)) return { kind: "signed-out", status: 0, body: {} };
    const response = await fetch(address, {
      method,
      body: JSON.stringify(body),
      credentials: "same-origin",
      redirect: "error",
      signal: abort.signal,
      headers: { "Content-Type": "application/json", "X-CSRFToken": csrfToken(), ...headers },
    });
    const reply = await response.json();
    return { kind: kindOf(response.status, reply), status: response.status, body: reply };
  } catch {
    return { kind: "away", status: 0, body: {} };
  } finally {
    clearTimeout(timer);
  }
}
