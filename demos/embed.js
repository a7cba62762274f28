// One widget alone, for a frame: embed.html?widget=nucleus&top-p=0.8&lang=zh&theme=dark. Loads only that widget, and tells the
// parent page how high it is, whenever that changes: { type: "lastinch-height", widget, height }, height in CSS pixels.
// The learning platform Canvas listens to its own message instead.
import { byId } from "./dom.js";
import { lendTrained } from "./trained.js";

const parameters = new URLSearchParams(location.search);
const widget = parameters.get("widget") ?? "";
const problem = byId("problem");
lendTrained();

/** Shows why there is no widget. @param {string} text */
function refuse(text) {
  problem.classList.remove("late");
  problem.setAttribute("role", "alert");
  problem.replaceChildren(text, " ", problem.querySelector("a") ?? "");
}

/** @param {"lang" | "theme"} name @param {RegExp} valid */
function read(name, valid) {
  const value = parameters.get(name) ?? "";
  return valid.test(value) ? value : "";
}

async function start() {
  if (!widget) return refuse("The address does not say which widget: it ends with ?widget=nucleus, for example.");
  if (!/^[a-z-]+$/.test(widget)) return refuse("A widget's name has only small letters and hyphens.");
  const tag = `lastinch-${widget}`;
  try {
    await import(`../dist/widget-${widget}.js`);
  } catch {
    // Explained below, because an import does not tell why it failed.
  }
  const element = customElements.get(tag);
  if (!element) return refuse(`There is no widget called “${widget}”, or its script could not be loaded.`);

  // The page's policy would stop the page from fetching the source, but not its Worker.
  const source = parameters.get("src");
  if (source !== null && new URL(source, location.href).host !== location.host)
    return refuse("A model (src) has to come from the same site as this frame.");

  const lang = read("lang", /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i);
  const theme = read("theme", /^(light|dark)$/);
  if (lang) document.documentElement.lang = lang;
  if (theme) document.documentElement.style.colorScheme = theme;
  const made = document.createElement(tag);
  if (theme) made.setAttribute("theme", theme);
  // Only attributes that the widget reads: no handlers, no style, no class.
  const known = /** @type {any} */ (element).observedAttributes ?? [];
  for (const [name, value] of parameters) if (known.includes(name)) made.setAttribute(name, value);
  document.title = /** @type {any} */ (element).words.title;
  // Its head and foot come before its numbers, and would be seen to move.
  const place = byId("place");
  place.style.visibility = "hidden";
  problem.replaceWith(made);
  while (!made.shadowRoot?.querySelector(".view > *, .problem")) await new Promise(requestAnimationFrame);
  place.style.visibility = "";
}

// The height is not a secret, so any parent may hear it.
if (parent !== window)
  new ResizeObserver(() => {
    const height = Math.ceil(document.body.getBoundingClientRect().height);
    // Nothing is there yet, and a frame without height would not be laid out again.
    if (!height) return;
    parent.postMessage({ subject: "lti.frameResize", height }, "*");
    parent.postMessage({ type: "lastinch-height", widget, height }, "*");
  }).observe(document.body);

start().catch((error) => refuse(error.message));
