// Loads test files into one process, so that their tests share one browser: BROWSERS=firefox node all.js FILE...
import { after } from "node:test";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

// The tests of one file may end before the next file has opened its page: only the last file may close the browsers.
process.env.SHARED_BROWSERS = "1";
const { closeBrowsers } = await import("./browsers.js");
for (const file of process.argv.slice(2)) await import(pathToFileURL(resolve(file)).href);
after(closeBrowsers);
