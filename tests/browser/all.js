// Loads test files into one process, so that their tests share one browser: BROWSERS=firefox node all.js FILE...
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

for (const file of process.argv.slice(2)) await import(pathToFileURL(resolve(file)).href);
