// Lighthouse on the pages of the site that `make site` makes, on a host that compresses, at 150 ms round trip and 1.6 Mbit/s:
// `node tests/bench/lighthouse.js [index.html docs/chat.html …]`. Fails where a page has less than full marks for access,
// best practices and search, moves by more than .05, or where the first screen of the landing page takes over a second.
// Lighthouse comes from npm (190 MB, into build/lighthouse). It computes paints from bytes and round trips.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { siteFiles } from "../../tools/site/site.js";
import { closeBrowsers, launch } from "../browser/browsers.js";
import { startHost } from "../browser/static-host.js";

const VERSION = "12.8.2";
const folder = resolve("build/lighthouse");
const entry = `${folder}/node_modules/lighthouse/core/index.js`;
const throttling = {
  ...{ rttMs: 150, throughputKbps: 1638.4, cpuSlowdownMultiplier: 1 },
  ...{ requestLatencyMs: 0, downloadThroughputKbps: 0, uploadThroughputKbps: 0 },
};
const onlyCategories = ["accessibility", "best-practices", "performance", "seo"];

if (!existsSync(entry)) {
  mkdirSync(folder, { recursive: true });
  const flags = ["--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  execFileSync("npm", ["install", ...flags, "--prefix", folder, `lighthouse@${VERSION}`], { stdio: "inherit" });
}
const { default: lighthouse } = await import(pathToFileURL(entry).href);

const host = await startHost("/some/folder/");
host.files = await siteFiles(host.address);
host.compresses = true;
const all = [...host.files.keys()].filter((path) => path.endsWith(".html") && !/^(dist\/|404|embed)/.test(path));
const asked = process.argv.slice(2);
const failures = [];
for (const path of asked.length ? asked : all) {
  const driver = await launch("chromium");
  const how = { onlyCategories, throttling, maxWaitForLoad: 120_000, logLevel: "error" };
  const { lhr } = await lighthouse(host.address + path, how, undefined, driver.page);
  await driver.close();
  const scores = onlyCategories.map((name) => lhr.categories[name].score);
  const paint = lhr.audits["first-contentful-paint"].numericValue;
  const shift = lhr.audits["cumulative-layout-shift"].numericValue;
  console.log(
    `${path.padEnd(30)} ${scores.join(" ")}, first paint ${(paint / 1000).toFixed(2)} s, moves ${shift.toFixed(3)}`,
  );
  for (const name of ["accessibility", "best-practices", "seo"])
    for (const { id } of lhr.categories[name].auditRefs) {
      const { score, title } = lhr.audits[id];
      if (score !== null && score < 1) failures.push(`${path}: ${id}: ${title}`);
    }
  if (shift > 0.05) failures.push(`${path} moves by ${shift}`);
  if (path === "index.html" && paint > 1000) failures.push(`${path}: first paint after ${paint} ms`);
  if (lhr.audits["unsized-images"]?.score === 0) failures.push(`${path}: images without sizes`);
}
host.close();
await closeBrowsers();
for (const failure of failures) console.error(failure);
process.exit(failures.length ? 1 : 0);
