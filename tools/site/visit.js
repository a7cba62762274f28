// In every page of the site: keeps the site in the browser, so that it opens without a connection, and says when there
// is a new version. The visitor decides when to use it.
const { serviceWorker, connection } = navigator;

/** A line at the foot of the page, with a button. @param {() => void} use */
function offer(use) {
  if (document.querySelector("#new-version")) return;
  const note = document.createElement("p");
  note.id = "new-version";
  note.role = "status";
  // The policy of the pages allows no style attributes in HTML.
  note.style.cssText =
    "position: fixed; inset: auto 1rem 1rem auto; margin: 0; padding: .6rem .8rem; z-index: 9;" +
    "background: Canvas; color: CanvasText; border: 1px solid; border-radius: .4rem";
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Load it";
  button.addEventListener("click", use);
  note.append("There is a new version of this site. ", button);
  document.body.append(note);
}

async function keep() {
  let isAsked = false;
  const wasKept = serviceWorker.controller !== null;
  const registration = await serviceWorker.register(new URL("service-worker.js", import.meta.url));
  const offerWaiting = () => {
    const { waiting } = registration;
    if (waiting && registration.active)
      offer(() => {
        isAsked = true;
        waiting.postMessage("use");
      });
  };
  serviceWorker.addEventListener("controllerchange", () => {
    if (isAsked) location.reload();
    else if (wasKept) offer(() => location.reload()); // another tab has changed the version
  });
  registration.addEventListener("updatefound", () =>
    registration.installing?.addEventListener("statechange", offerWaiting),
  );
  offerWaiting();
}

// Private windows of some browsers have no service worker. Who saves data gets only what a page needs.
if (serviceWorker && !connection?.saveData) {
  const start = () => void keep().catch((error) => console.warn(`This site is not kept: ${error.message}`));
  if (document.readyState === "complete") start();
  else addEventListener("load", start, { once: true });
}
