// Two tabs of a page, one of which nobody sees.

/**
 * @param {import("./browsers.js").Driver} driver
 * @param {import("node:test").TestContext} t
 */
export async function hide(driver, t) {
  const other = await driver.openTab();
  t.after(() => other.close());
  await other.open(await driver.evaluate(() => location.href));
  // WebKit opens the tab of a test behind the first.
  if (driver.name === "webkit") return { hidden: other, shown: driver };
  if (driver.page && driver.name === "chromium") {
    // Without a user interface it shows all tabs, as if each had a window.
    const client = await driver.page.createCDPSession();
    const { windowId } = await client.send("Browser.getWindowForTarget");
    await client.send("Browser.setWindowBounds", { windowId, bounds: { windowState: "minimized" } });
  }
  return { hidden: driver, shown: other };
}
