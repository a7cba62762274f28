// The page that measures a visitor's device, demos/bench.html, in Chromium on this machine, with the peers that the other
// benches have installed: `node tests/bench/bench-page.js [--no-peers]` prints what the page would copy as text.
import { closeBrowsers, launch, waitFor } from "../browser/browsers.js";
import { startSite } from "../browser/site.js";

const withPeers = !process.argv.includes("--no-peers");
const site = await startSite();
const driver = await launch("chromium");
await driver.open(`${site.origin}/demos/bench.html`);
await waitFor(driver, () => document.querySelector("#start")?.disabled === false);
await driver.evaluate((checked) => {
  document.querySelector("#peers").checked = checked;
  document.querySelector("#start").click();
}, withPeers);
await waitFor(driver, () => document.querySelector("#start").disabled === false, [], 600_000);
const text = await driver.evaluate(async () => {
  const { textOf, unpackReport } = await import("/demos/bench/bench-report.js");
  const report = unpackReport(location.hash);
  return report ? textOf(report) : document.querySelector("#alert").textContent;
});
console.log(text);
await driver.close();
await site.close();
await closeBrowsers();
process.exit(0);
