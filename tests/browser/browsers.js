// One way to drive Chromium, Firefox and WebKit.
import { after } from "node:test";
import { allBrowserNames, browserNames } from "./names.js";
import { PATIENCE, freePort, pathOf } from "./start.js";
import { startWebKit } from "./webkit.js";

export { allBrowserNames, browserNames, freePort };

/**
 * @typedef {object} Driver
 * @property {string} name
 * @property {(url: string) => Promise<void>} open
 * @property {(fn: string | ((...args: any[]) => any), ...args: any[]) => Promise<any>} evaluate in the page
 * @property {(...keys: string[]) => Promise<void>} press keys that are held together
 * @property {(selector: string) => Promise<void>} click
 * @property {(path: string) => Promise<void>} screenshot
 * @property {() => Promise<Driver>} openTab a further tab with the same storage, whose close() closes it alone
 * @property {() => Promise<string[]>} consoleErrors all so far
 * @property {() => Promise<string[]>} requests the addresses of all so far, as far as the browser reports them
 * @property {() => Promise<void> | undefined} close
 * @property {() => boolean} isGone whether the page is closed or its browser lost, so that nothing answers any more
 * @property {import("puppeteer-core").Page} [page] of puppeteer's browsers
 * @property {import("./webkit.js").WebKit} [webkit] the browser itself
 */

/** @typedef {{ open: () => Promise<Driver>, close: () => Promise<void>, isLost: () => boolean }} Browser */
/** The browsers of this process, which its tests share. @type {Map<string, Promise<Browser>>} */
const running = new Map();
export async function closeBrowsers() {
  for (const browser of running.values()) await (await browser.catch(() => undefined))?.close();
}
if (!process.env.SHARED_BROWSERS) after(closeBrowsers);

/**
 * Opens a new page, with its own storage in Chromium and Firefox. Starts the browser unless it runs and answers.
 * @param {string} name
 * @returns {Promise<Driver>}
 */
export async function launch(name) {
  if (!allBrowserNames.includes(name)) throw new Error(`There is no browser called ${name}.`);
  const known = running.get(name);
  const isLost = await known?.then(
    (browser) => browser.isLost(),
    () => true,
  );
  // Meanwhile another call may have started a new one.
  if (isLost !== false && running.get(name) === known)
    running.set(name, name === "webkit" ? startWebKit() : startPuppeteer(name));
  return (await /** @type {Promise<Browser>} */ (running.get(name))).open();
}

/** @param {string} name "chromium" or "firefox" @returns {Promise<Browser>} */
async function startPuppeteer(name) {
  const { default: puppeteer } = await import("puppeteer-core");
  const isChromium = name === "chromium";
  const browser = await puppeteer.launch({
    browser: isChromium ? "chrome" : "firefox",
    executablePath: pathOf(name),
    headless: "shell",
    args: isChromium
      ? [
          "--no-sandbox",
          "--disable-gpu",
          "--enable-unsafe-webgpu", // on SwiftShader, where there is no graphics card
          "--no-first-run",
          "--disable-background-networking",
          "--disable-component-update",
          "--disable-sync",
        ]
      : [],
    extraPrefsFirefox: { "dom.ipc.processPrelaunch.enabled": false },
    timeout: PATIENCE,
    protocolTimeout: PATIENCE,
  });
  let isLost = false;
  return {
    async open() {
      try {
        return await openPage(name, await browser.createBrowserContext());
      } catch (error) {
        // A browser that opens no page is of no more use.
        isLost = true;
        browser.process()?.kill("SIGKILL");
        throw error;
      }
    },
    isLost: () => isLost || !browser.connected,
    close: () => browser.close(),
  };
}

/**
 * @param {string} name
 * @param {import("puppeteer-core").BrowserContext} context
 * @param {boolean} [isTab] beside others of the context
 * @returns {Promise<Driver>}
 */
async function openPage(name, context, isTab = false) {
  const isFirefox = name === "firefox";
  // Firefox shows one tab at a time, draws no other, and drops the keys pressed in another. A page that another file
  // opens meanwhile must not come before this one.
  const page = await context.newPage({ background: isFirefox });
  const toFront = async () => void (isFirefox && (await page.bringToFront()));
  page.setDefaultTimeout(PATIENCE);
  await page.setViewport({ width: 1280, height: 900 });
  /** @type {string[]} */
  const errors = [];
  /** @type {string[]} */
  const requests = [];
  const collect = async () => {
    errors.push(...(await page.evaluate(() => globalThis.watched?.errors.splice(0) ?? [])));
  };
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("request", (request) => requests.push(request.url()));
  return {
    name,
    page,
    async open(url) {
      await collect();
      await toFront();
      // If only the fragment changes, the page would not reload. Otherwise the previous page stays until the new one
      // comes, because an isolated page after one that is not starts a process.
      if (url.includes("#")) await page.goto("about:blank");
      await page.goto(url, { waitUntil: "load" });
    },
    evaluate: (fn, ...args) => page.evaluate(/** @type {any} */ (fn), ...args),
    async press(...keys) {
      await toFront();
      const last = /** @type {any} */ (keys.at(-1));
      const held = /** @type {any[]} */ (keys.slice(0, -1));
      for (const key of held) await page.keyboard.down(key);
      await page.keyboard.press(last);
      for (const key of held) await page.keyboard.up(key);
    },
    async click(selector) {
      await toFront();
      await page.click(selector);
    },
    screenshot: async (path) => void (await page.screenshot({ path: /** @type {any} */ (path) })),
    async consoleErrors() {
      await collect();
      return errors;
    },
    requests: async () => requests,
    openTab: () => openPage(name, context, true),
    // A test file may close its page after the browser has closed, and a tab after its context.
    close: () => (context.browser().connected && !page.isClosed() ? (isTab ? page : context).close() : undefined),
    isGone: () => !context.browser().connected || page.isClosed(),
  };
}

/**
 * Asks the page repeatedly until the answer is truthy (and plain data: in Firefox an element counts as nothing). A
 * question that fails is asked again: what it looks at may not be parsed or drawn yet, or the page is just opened anew.
 * What it failed with in the end is told.
 * @param {Driver} driver
 * @param {((...args: any[]) => any) | string} fn
 * @param {any[]} [args]
 * @param {number} [timeout]
 */
export function waitFor(driver, fn, args = [], timeout = PATIENCE) {
  /** @type {unknown} */
  let problem;
  const ask = async () => {
    problem = undefined;
    return driver.evaluate(fn, ...args).catch((error) => {
      if (driver.isGone()) throw error;
      problem = error;
    });
  };
  const complaint = () => `In ${driver.name}, this stayed untrue: ${fn}${problem ? `, at last with ${problem}` : ""}`;
  return untilTrue(ask, complaint, timeout);
}

/**
 * Returns the first truthy answer. The pauses between questions grow from 5 to 50 ms.
 * @param {() => Promise<any>} ask
 * @param {string | (() => string)} complaint
 * @param {number} [timeout] ms
 */
export async function untilTrue(ask, complaint, timeout = PATIENCE) {
  const deadline = Date.now() + timeout;
  for (let pause = 5; ; pause = Math.min(2 * pause, 50)) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > deadline)
      throw new Error(`${typeof complaint === "string" ? complaint : complaint()} (${timeout} ms)`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
