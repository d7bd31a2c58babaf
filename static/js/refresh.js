// Replaces the content of #progress by the server's fragment every data-refresh milliseconds, until the
// fragment says that nothing is running any more. A reader who has focus inside is not disturbed.

const box = document.getElementById("progress");
const pause = Number(box.dataset.refresh);

async function refresh() {
  if (!box.contains(document.activeElement)) {
    const reply = await fetch(box.dataset.url, { headers: { "X-Fragment": "progress" }, redirect: "error" });
    if (reply.ok) box.innerHTML = await reply.text();
  }
  if (box.firstElementChild?.dataset.running === "yes") setTimeout(next, pause);
}

function next() {
  refresh().catch(() => setTimeout(next, pause * 3)); // the server is away: ask again, more slowly
}

if (pause) setTimeout(next, pause);
