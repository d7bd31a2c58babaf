// Replaces the content of #progress by the server's fragment every data-refresh milliseconds, until the
// fragment says that nothing is running any more. A reader who has focus inside is not disturbed. Who is signed out is
// told so, as long as it lasts.

const box = document.getElementById("progress");
const pause = Number(box.dataset.refresh);

function sayStill() {
  if (box.querySelector(":scope > .signed-out")) return;
  const note = document.createElement("p");
  note.className = "notice bad signed-out";
  note.setAttribute("role", "alert");
  note.textContent = "You are signed out, so this page is not updated any more. It goes on once you have signed in again in another tab.";
  box.append(note); // the first element says whether anything is running
}

async function refresh() {
  if (!box.contains(document.activeElement)) {
    const reply = await fetch(box.dataset.url, { headers: { "X-Fragment": "progress" }, redirect: "manual" });
    if (reply.ok) box.innerHTML = await reply.text();
    else if (reply.type === "opaqueredirect") sayStill();
  }
  if (box.firstElementChild?.dataset.running === "yes") setTimeout(next, pause);
}

function next() {
  refresh().catch(() => setTimeout(next, pause * 3)); // the server is away: ask again, more slowly
}

if (pause) setTimeout(next, pause);
