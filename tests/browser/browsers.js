// One way to drive Chromium, Firefox and WebKit.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { allBrowserNames, browserNames } from "./names.js";

export { allBrowserNames, browserNames };

/** How a person or a build ends the tests early. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

/** ms that a browser on a busy machine may take to start, to open a page or to answer. */
const PATIENCE = 120_000;

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
 * @property {import("puppeteer-core").Page} [page] of puppeteer's browsers
 */

const programs = {
  // Chromium without a user interface: the same engine, in two thirds of the time.
  chromium: { path: process.env.CHROMIUM ?? "/usr/bin/chromium-headless-shell", debian: "chromium-headless-shell" },
  firefox: { path: process.env.FIREFOX ?? "/usr/bin/firefox-esr", debian: "firefox-esr" },
  webkit: { path: "/usr/bin/WebKitWebDriver", debian: "webkit2gtk-driver" },
  xvfb: { path: "/usr/bin/xvfb-run", debian: "xvfb and xauth" },
};

/** @param {keyof typeof programs} name */
function pathOf(name) {
  const { path, debian } = programs[name];
  if (!existsSync(path))
    throw new Error(`${path} is missing: run "make setup", or install the Debian package ${debian}.`);
  return path;
}

/**
 * The browsers of this process, which its tests share. Each has a function that opens a new page.
 * @type {Map<string, Promise<{ open: () => Promise<Driver>, close: () => Promise<void> }>>}
 */
const running = new Map();
export async function closeBrowsers() {
  for (const browser of running.values()) await (await browser.catch(() => undefined))?.close();
}
if (!process.env.SHARED_BROWSERS) after(closeBrowsers);

/**
 * Opens a new page, with its own storage in Chromium and Firefox.
 * @param {string} name
 * @returns {Promise<Driver>}
 */
export async function launch(name) {
  if (!allBrowserNames.includes(name)) throw new Error(`There is no browser called ${name}.`);
  if (!running.has(name)) running.set(name, name === "webkit" ? startWebKit() : startPuppeteer(name));
  return (await running.get(name))?.open();
}

/** @param {string} name "chromium" or "firefox" */
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
  return { open: async () => openPage(name, await browser.createBrowserContext()), close: () => browser.close() };
}

/**
 * @param {string} name
 * @param {import("puppeteer-core").BrowserContext} context
 * @param {boolean} [isTab] beside others of the context
 * @returns {Promise<Driver>}
 */
async function openPage(name, context, isTab = false) {
  const page = await context.newPage();
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
      // If only the fragment changes, the page would not reload. Otherwise the previous page stays until the new one
      // comes, because an isolated page after one that is not starts a process.
      if (url.includes("#")) await page.goto("about:blank");
      await page.goto(url, { waitUntil: "load" });
    },
    evaluate: (fn, ...args) => page.evaluate(/** @type {any} */ (fn), ...args),
    async press(...keys) {
      const last = /** @type {any} */ (keys.at(-1));
      const held = /** @type {any[]} */ (keys.slice(0, -1));
      for (const key of held) await page.keyboard.down(key);
      await page.keyboard.press(last);
      for (const key of held) await page.keyboard.up(key);
    },
    click: (selector) => page.click(selector),
    screenshot: async (path) => void (await page.screenshot({ path: /** @type {any} */ (path) })),
    async consoleErrors() {
      await collect();
      return errors;
    },
    requests: async () => requests,
    openTab: () => openPage(name, context, true),
    // A test file may close its page after the browser has closed, and a tab after its context.
    close: () => (context.browser().connected && !page.isClosed() ? (isTab ? page : context).close() : undefined),
  };
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

/** Has one page, which a test leaves before the next one opens its own. */
async function startWebKit() {
  const selenium = await import("selenium-webdriver");
  const port = await freePort();
  // A home directory of its own, so that no profile is read or kept.
  const home = await mkdtemp(join(tmpdir(), "lastinch-webkit-"));
  const driverProcess = spawn(pathOf("xvfb"), ["-a", pathOf("webkit"), `--port=${port}`], {
    env: {
      ...process.env,
      HOME: home,
      XDG_RUNTIME_DIR: home,
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1",
      WEBKIT_DISABLE_COMPOSITING_MODE: "1", // saves two fifths of the processor time
    },
    stdio: "ignore",
    detached: true,
  });
  const end = () => {
    try {
      // The whole process group, with xvfb-run's X server and the browser.
      if (driverProcess.pid) process.kill(-driverProcess.pid, "SIGTERM");
    } catch {
      // The group has already ended.
    }
  };
  process.once("exit", end);
  // A signal without a handler ends this process without "exit".
  const leave = () => process.exit(1);
  for (const signal of SIGNALS) process.once(signal, leave);
  const closeAll = async () => {
    end();
    process.off("exit", end);
    for (const signal of SIGNALS) process.off(signal, leave);
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };

  try {
    const driver = await connect(selenium, port);
    await driver.manage().setTimeouts({ script: PATIENCE, pageLoad: PATIENCE });
    await driver.manage().window().setRect({ width: 1280, height: 900 });
    /** @type {Driver["evaluate"]} */
    const evaluate = async (fn, ...args) => {
      const source = typeof fn === "string" ? `async () => (${fn})` : String(fn);
      const { value, error } = await driver.executeAsyncScript(
        `const done = arguments[arguments.length - 1];
         Promise.resolve().then(() => (${source})(...arguments[0]))
           .then((value) => done({ value }), (error) => done({ error: error + "\\n" + (error?.stack ?? "") }));`,
        args,
      );
      if (error !== undefined) throw new Error(error);
      return value ?? undefined;
    };
    const handle = await driver.getWindowHandle();
    return {
      open: async () => openWebKitPage(driver, evaluate, namedKeys(selenium), handle),
      async close() {
        await driver.quit().catch(() => {});
        await closeAll();
      },
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** What the driver of WebKit does. @type {Promise<unknown>} */
let webKitQueue = Promise.resolve();

/**
 * @param {import("selenium-webdriver").WebDriver} driver
 * @param {Driver["evaluate"]} evaluateHere
 * @param {Record<string, string>} keyCodes
 * @param {string} handle of the page's window
 * @param {boolean} [isTab] beside the first page
 * @returns {Driver}
 */
function openWebKitPage(driver, evaluateHere, keyCodes, handle, isTab = false) {
  /** @type {string[]} */
  const errors = [];
  /** @type {string[]} */
  const requests = [];
  const focus = async () => {
    if ((await driver.getWindowHandle().catch(() => "")) !== handle) await driver.switchTo().window(handle);
  };
  /** One tab after the other, because the driver has one at a time. @type {Driver["evaluate"]} */
  const evaluate = (...given) => {
    const result = webKitQueue.then(focus).then(() => evaluateHere(...given));
    webKitQueue = result.catch(() => {});
    return result;
  };
  const collect = async () => {
    errors.push(...(await evaluate(() => globalThis.watched?.errors.splice(0) ?? [])));
    requests.push(...(await evaluate(() => performance.getEntriesByType("resource").map((entry) => entry.name))));
  };
  return {
    name: "webkit",
    async open(url) {
      await collect();
      // WebKit under WebDriver drops its caches when a page is reloaded in place.
      await driver.get("about:blank");
      await driver.get(url);
    },
    evaluate,
    async press(...keys) {
      await focus();
      const codes = keys.map((key) => keyCodes[key] ?? key);
      const actions = driver.actions();
      for (const code of codes) actions.keyDown(code);
      for (const code of codes.reverse()) actions.keyUp(code);
      await actions.perform();
    },
    async click(selector) {
      await focus();
      await driver.findElement({ css: selector }).click();
    },
    async screenshot(path) {
      await focus();
      await writeFile(path, Buffer.from(await driver.takeScreenshot(), "base64"));
    },
    async consoleErrors() {
      await collect();
      return errors;
    },
    async requests() {
      await collect();
      return requests;
    },
    async openTab() {
      await focus();
      await driver.switchTo().newWindow("tab");
      return openWebKitPage(driver, evaluateHere, keyCodes, await driver.getWindowHandle(), true);
    },
    async close() {
      // Unless the browser has already closed.
      await focus()
        .then(() => (isTab ? driver.close() : driver.get("about:blank")))
        .catch(() => {});
    },
  };
}

/** @param {typeof import("selenium-webdriver")} selenium @returns {Record<string, string>} */
const namedKeys = ({ Key }) => ({
  ArrowDown: Key.ARROW_DOWN,
  ArrowLeft: Key.ARROW_LEFT,
  ArrowRight: Key.ARROW_RIGHT,
  ArrowUp: Key.ARROW_UP,
  Control: Key.CONTROL,
  End: Key.END,
  Enter: Key.ENTER,
  Escape: Key.ESCAPE,
  Home: Key.HOME,
  Tab: Key.TAB,
});

/**
 * Connects to the driver, whose port answers a moment after its process has started.
 * @param {typeof import("selenium-webdriver")} selenium
 * @param {number} port
 */
async function connect({ Builder }, port) {
  const deadline = Date.now() + PATIENCE;
  for (;;) {
    try {
      return await new Builder()
        .usingServer(`http://127.0.0.1:${port}`)
        .withCapabilities({
          browserName: "MiniBrowser",
          "webkitgtk:browserOptions": {
            binary: "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser",
            args: ["--automation"],
          },
        })
        .build();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

/**
 * Asks the page repeatedly until the answer is truthy (and plain data: in Firefox an element counts as nothing).
 * @param {Driver} driver
 * @param {(...args: any[]) => any} fn
 * @param {any[]} [args]
 * @param {number} [timeout]
 */
export function waitFor(driver, fn, args = [], timeout = 60_000) {
  return untilTrue(() => driver.evaluate(fn, ...args), `In ${driver.name}, this stayed untrue: ${fn}`, timeout);
}

/**
 * Returns the first truthy answer. The pauses between questions grow from 5 to 50 ms.
 * @param {() => Promise<any>} ask
 * @param {string} complaint
 * @param {number} [timeout] ms
 */
export async function untilTrue(ask, complaint, timeout = 60_000) {
  const deadline = Date.now() + timeout;
  for (let pause = 5; ; pause = Math.min(2 * pause, 50)) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > deadline) throw new Error(`${complaint} (${timeout} ms)`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
