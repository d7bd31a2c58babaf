// Loads the curves of a comparison, for which attempts are planned again.

const box = document.getElementById("curves");

async function load() {
  const reply = await fetch(box.dataset.url, { headers: { "X-Fragment": "curves" }, redirect: "error" });
  if (!reply.ok) throw new Error(`${reply.status}`);
  box.innerHTML = await reply.text();
}

load().catch(() => {
  box.textContent = "The curves could not be loaded. Reload the page to try again.";
});
