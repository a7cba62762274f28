// In every page of the site: keeps the site in the browser, so that it opens without a connection, and says when there
// is a new version. The visitor decides when to use it.
const { serviceWorker, connection } = navigator;
const LATER = "lastinch-later";

/** @param {string} text @param {() => void} press */
function makeButton(text, press) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = text;
  button.addEventListener("click", press);
  return button;
}

/** A line at the foot of the page, with two buttons. @param {ServiceWorker} waiting */
function offer(waiting) {
  if (document.querySelector("#new-version") || sessionStorage.getItem(LATER)) return;
  const note = document.createElement("aside");
  note.id = "new-version";
  note.setAttribute("aria-label", "New version");
  // The policy of the pages allows no style attributes in HTML.
  note.style.cssText =
    "position: sticky; bottom: 0; padding: .6rem 1rem; display: flex; flex-wrap: wrap; gap: .5rem; z-index: 9;" +
    "align-items: center; background: Canvas; color: CanvasText; border-top: 1px solid";
  const words = document.createElement("span");
  words.role = "status";
  const use = makeButton("Load it", () => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data: { others } }) => {
      if (others) words.textContent = `Close the other tabs of this site first (${others}): they show the old version.`;
    };
    waiting.postMessage("use", [port2]);
  });
  const later = makeButton("Later", () => {
    sessionStorage.setItem(LATER, "yes");
    note.remove();
  });
  note.append(words, use, later);
  document.body.append(note);
  words.textContent = "There is a new version of this site.";
}

async function keep() {
  const registration = await serviceWorker.register(new URL("service-worker.js", import.meta.url));
  const offerWaiting = () => {
    const { waiting, active } = registration;
    if (!waiting || !active) return;
    offer(waiting);
    // Only this page can have asked for it: no other tab is open.
    waiting.addEventListener("statechange", () => waiting.state === "activated" && location.reload());
  };
  registration.addEventListener("updatefound", () => {
    const { installing } = registration;
    installing?.addEventListener("statechange", () => {
      if (installing.state === "installed") offerWaiting();
      if (installing.state === "redundant") console.warn("This version of the site could not be kept.");
    });
  });
  offerWaiting();
}

// Private windows of some browsers have no service worker. Visitors who save data get only what a page needs.
if (serviceWorker && !connection?.saveData) {
  const start = () => void keep().catch((error) => console.warn(`This site is not kept: ${error.message}`));
  if (document.readyState === "complete") start();
  else addEventListener("load", start, { once: true });
}
