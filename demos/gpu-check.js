// The page that checks this device: presses, what is shown, and the text to copy.
import { byId, make, setText } from "./dom.js";
import { formatCount, formatSize } from "../web/widgets/shared/format.js";

/** @typedef {import("./gpu-measure.js").Shown} Shown */

const check = /** @type {HTMLButtonElement} */ (byId("check"));
const copy = /** @type {HTMLButtonElement} */ (byId("copy"));
const status = byId("status");

/** @param {Shown[]} shown */
function showCrossed(shown) {
  byId("crossed").hidden = !shown.length;
  byId("rows").replaceChildren(
    ...shown.map(({ options, read: { tokens, gathered, bytes, isWhole }, proof }) =>
      make(
        "tr",
        {},
        make("th", { scope: "row", text: options }),
        make("td", { text: isWhole ? "the whole row" : `${formatCount(tokens + gathered)} values of 128,256` }),
        make("td", { text: formatSize(bytes) }),
        make("td", { text: proof }),
      ),
    ),
  );
}

check.addEventListener("click", async () => {
  check.disabled = true;
  byId("alert").hidden = true;
  try {
    setText(status, "Loading the sampler …");
    const [lastinch, { measure }] = await Promise.all([import("../dist/index.js"), import("./gpu-measure.js")]);
    const { lines, shown } = await measure(lastinch, (text) => setText(byId("doing"), text));
    setText(byId("text"), lines.join("\n"));
    showCrossed(shown);
    byId("result").hidden = false;
    setText(status, `Done: ${lines.find((line) => line.startsWith("same tokens"))}.`);
    byId("verdict").focus();
  } catch (error) {
    setText(status, "");
    setText(byId("alert"), error instanceof Error ? error.message : String(error));
    byId("alert").hidden = false;
  } finally {
    setText(byId("doing"), "");
    check.disabled = false;
  }
});

copy.addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(byId("text").textContent ?? "");
    setText(status, "Copied.");
  } catch {
    // Without the permission, the text is at least marked.
    getSelection()?.selectAllChildren(byId("text"));
    setText(status, "The browser does not allow copying here: the text is selected.");
  }
});

check.disabled = false;
