// An app of demos/templates/, as a newcomer uses it.
import assert from "node:assert/strict";
import { waitFor } from "./browsers.js";

/**
 * Opens a page of the templates, presses its button, and waits for the story.
 * @param {import("./browsers.js").Driver} driver
 * @param {string} url
 */
export async function checkTemplate(driver, url) {
  await driver.open(url);
  await waitFor(driver, () => document.querySelector("button") !== null);
  // Without this, a press before the framework has hydrated the page would submit the form.
  await driver.evaluate(() => addEventListener("submit", (event) => event.preventDefault()));
  await waitFor(driver, () => {
    const status = document.querySelector("[role=status]").textContent;
    if (!status) document.querySelector("button").click();
    return status === "Done.";
  });
  const story = await driver.evaluate(() => document.querySelector("#story").textContent);
  assert.match(story, /^Once upon a time\W+\w+\W+\w+/);
  assert.deepEqual((await driver.consoleErrors()).splice(0), []);
}

/**
 * Asks a template's server for a story.
 * @param {string} url of its page
 */
export async function checkStoryOf(url) {
  const { story, finishReason } = JSON.parse(await whenUp(`${url}story?prompt=One%20day`));
  assert.match(story, /^One day\W+\w+\W+\w+/);
  assert.equal(finishReason, "length");
}

/** What a server answers once it is there. @param {string} url @returns {Promise<string>} */
export async function whenUp(url) {
  for (let tries = 0; ; tries++)
    try {
      return await (await fetch(url)).text();
    } catch (error) {
      if (tries > 600) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
}
