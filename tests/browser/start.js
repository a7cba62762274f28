// What starting a browser needs: its program, a port for its driver, and patience.
import { existsSync } from "node:fs";
import { createServer } from "node:net";

/** ms that a browser on a busy machine may take to start, to open a page or to answer. */
export const PATIENCE = 120_000;

/** Exit status of a process of tests that failed, and whose browser stopped answering. */
export const LOST = 3;

const programs = {
  // Chromium without a user interface: the same engine, in two thirds of the time.
  chromium: { path: process.env.CHROMIUM ?? "/usr/bin/chromium-headless-shell", debian: "chromium-headless-shell" },
  firefox: { path: process.env.FIREFOX ?? "/usr/bin/firefox-esr", debian: "firefox-esr" },
  webkit: { path: "/usr/bin/WebKitWebDriver", debian: "webkit2gtk-driver" },
  xvfb: { path: "/usr/bin/xvfb-run", debian: "xvfb and xauth" },
};

/** @param {keyof typeof programs} name */
export function pathOf(name) {
  const { path, debian } = programs[name];
  if (!existsSync(path))
    throw new Error(`${path} is missing: run "make setup", or install the Debian package ${debian}.`);
  return path;
}

/** @returns {Promise<number>} */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}
