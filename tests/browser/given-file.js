// Gives the playground a file, and reads what the page says of it.
import { waitFor } from "./browsers.js";

/** A file in the form in which it is sent to the page. @param {Uint8Array | string} bytes */
export const packed = (bytes) => Buffer.from(bytes).toString("base64");

/**
 * Does something that gives the page a file or an address, and waits until the page looks at it. What the page said of
 * another file, or of the same one before, is no answer.
 * @param {import("./browsers.js").Driver} driver
 * @param {() => Promise<unknown>} act
 */
export async function untilLookedAt(driver, act) {
  const forget = () => document.querySelector("#file-name")?.replaceChildren();
  await driver.evaluate(forget);
  await act();
  await waitFor(driver, () => document.querySelector("#file-name")?.textContent);
}

/**
 * Gives the page a file.
 * @param {import("./browsers.js").Driver} driver
 * @param {"drop" | "choose"} how
 * @param {string} file packed
 * @param {string} [name]
 */
export const give = (driver, how, file, name = "tiny.gguf") =>
  untilLookedAt(driver, () => driver.evaluate(hand, how, file, name));

/** Runs in the page. */
function hand(how, file, name) {
  const bytes = Uint8Array.from(atob(file), (character) => character.charCodeAt(0));
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([bytes], name));
  if (how === "choose") {
    const field = document.querySelector("#own-file");
    field.files = dataTransfer.files;
    field.dispatchEvent(new Event("change", { bubbles: true }));
    return;
  }
  for (const type of ["dragenter", "dragover", "drop"])
    document
      .querySelector("footer")
      .dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
}

/** What the page says of the file, once it has read the header. @param {import("./browsers.js").Driver} driver */
export const facts = async (driver) => {
  await waitFor(driver, () => document.querySelector("#cancel-load")?.hidden === true);
  return driver.evaluate(() => ({
    name: document.querySelector("#file-name").textContent,
    rows: Object.fromEntries(
      [...document.querySelectorAll(".facts tr")].map(({ cells }) => [cells[0].textContent, cells[1].textContent]),
    ),
    isKnown: document.querySelector(".facts").checkVisibility(),
    canLoad: document.querySelector("#load").checkVisibility() && !document.querySelector("#load").disabled,
    problem: document.querySelector("#file-problem").hidden ? "" : document.querySelector("#file-problem").textContent,
    status: document.querySelector("#file-status").textContent,
  }));
};

/** Loads the file. @param {import("./browsers.js").Driver} driver */
export const load = async (driver) => {
  await driver.evaluate(() => document.querySelector("#load").click());
  await waitFor(driver, () => document.querySelector("#model").value === "own");
};
