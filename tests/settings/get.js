// Installs what the tests of settings run the package in, each in a folder of its own, where the test puts its template.
// A folder that is there already stays as it is.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";

const packages = {
  "build/runtimes": "bun@1.4.5 deno@2.9.6 workerd@1.20261117.1",
  "build/frameworks/sveltekit":
    "@sveltejs/kit@3.2.0 @sveltejs/adapter-node@6.0.1 @sveltejs/vite-plugin-svelte@7.3.1 svelte@5.57.3 vite@8.3.8",
  "build/frameworks/nuxt": "nuxt@4.4.5",
  "build/frameworks/astro": "astro@7.3.5 @astrojs/node@11.1.6",
  "build/frameworks/vite-5": "vite@5.4.21",
  "build/frameworks/vite-6": "vite@6.4.6",
  "build/frameworks/vite-7": "vite@7.3.8",
};

for (const [folder, names] of Object.entries(packages)) {
  if (existsSync(folder)) continue;
  const unfinished = `${folder}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  writeFileSync(`${unfinished}/package.json`, '{ "private": true }\n');
  const options = ["--prefix", unfinished, "--no-save", "--no-audit", "--no-fund", "--loglevel", "error"];
  execFileSync("npm", ["install", ...options, ...names.split(" ")], { stdio: "inherit" });
  renameSync(unfinished, folder);
}
