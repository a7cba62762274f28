// The playground in a browser, for several test files.
import { waitFor } from "./browsers.js";

/** Runs in the page: whether the page is complete and not writing. */
export const isIdle = () => {
  const { disabled, textContent } = document.querySelector("#generate") ?? {};
  return disabled === false && textContent === "Generate";
};

/**
 * @param {{ driver: import("./browsers.js").Driver, site: import("./site.js").Site }} opened
 * @param {string} [hash] settings, as a link has them
 */
export async function openPlayground({ driver, site }, hash = "#v=1&seed=11&tokens=60") {
  await driver.open(`${site.origin}/demos/playground.html${hash}`);
  await waitFor(driver, isIdle);
  return driver;
}
