// Drives WebKit through its own driver. A browser that leaves a command unanswered is lost: it is ended, whatever is
// asked of it later fails at once, and the next test that needs a browser starts a new one.
import { spawn } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LOST, PATIENCE, freePort, pathOf } from "./start.js";

/** How a person or a build ends the tests early. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

/** ms for a page without content, after one that did not load. */
const BLANK = 20_000;

/**
 * @typedef {object} WebKit
 * @property {() => Promise<import("./browsers.js").Driver>} open
 * @property {() => Promise<void>} close
 * @property {() => boolean} isLost
 * @property {number} group of its processes
 * @property {number} limit ms for a command: more than a page or a script may take, which the driver reports itself
 * @property {Promise<unknown>} queue what the driver does
 */

/** Has one page, which a test leaves before the next one opens its own. @returns {Promise<WebKit>} */
export async function startWebKit() {
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
  const group = /** @type {number} */ (driverProcess.pid);
  /** Ends the whole process group, with xvfb-run's X server and the browser. @param {NodeJS.Signals} signal */
  const end = (signal) => {
    try {
      process.kill(-group, signal);
    } catch {
      // The group has already ended.
    }
  };
  const leave = () => end("SIGTERM");
  process.once("exit", leave);
  // A signal without a handler ends this process without "exit".
  const exit = () => process.exit(1);
  for (const signal of SIGNALS) process.once(signal, exit);
  const closeAll = async () => {
    leave();
    process.off("exit", leave);
    for (const signal of SIGNALS) process.off(signal, exit);
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };

  try {
    const driver = await connect(selenium, port);
    /** Why the browser is lost. @type {Promise<Error> | undefined} */
    let loss;
    /** @param {string} command @param {number} limit ms */
    const lose = async (command, limit) => {
      const states = statesOf(group).join(", ");
      const isBusy = await isComputing(group);
      const why = isBusy ? "a page computes without end" : "the browser is lost";
      const message = `webkit did not answer ${command} within ${limit / 1000} s: ${why} (${states})`;
      console.log(`# ${message}`);
      end("SIGKILL");
      // Whoever runs this file knows that its tests may have failed through no fault of theirs.
      if (!isBusy) process.once("exit", () => void (process.exitCode &&= LOST));
      return new Error(message);
    };
    const execute = driver.execute.bind(driver);
    /** @param {any} command */
    driver.execute = async (command) => {
      if (loss) throw await loss;
      const answer = execute(command);
      if (!(await isSettled(answer, browser.limit))) throw await (loss ??= lose(command.getName(), browser.limit));
      return answer.catch(async (error) => {
        // The driver lets nothing happen to a page that is still loading.
        if (isChecking || error.name !== "TimeoutError" || (await opensBlank())) throw error;
        throw await (loss ??= lose("about:blank after a page that did not load", BLANK));
      });
    };
    let isChecking = false;
    const opensBlank = async () => {
      isChecking = true;
      try {
        await driver.manage().setTimeouts({ pageLoad: BLANK });
        await driver.get("about:blank");
        await driver.manage().setTimeouts({ pageLoad: PATIENCE });
        return true;
      } catch {
        return false;
      } finally {
        isChecking = false;
      }
    };
    /** @type {WebKit} */
    const browser = {
      open: async () => openPage(browser, driver, namedKeys(selenium), handle),
      isLost: () => loss !== undefined,
      group,
      limit: 1.25 * PATIENCE,
      queue: Promise.resolve(),
      async close() {
        await driver.quit().catch(() => {});
        await closeAll();
      },
    };
    await driver.manage().setTimeouts({ script: PATIENCE, pageLoad: PATIENCE });
    await driver.manage().window().setRect({ width: 1280, height: 900 });
    const handle = await driver.getWindowHandle();
    return browser;
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Whether a promise settles within a time. @param {Promise<unknown>} promise @param {number} limit ms */
function isSettled(promise, limit) {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), limit);
    const settle = () => {
      clearTimeout(timer);
      resolve(true);
    };
    promise.then(settle, settle);
  });
}

/** The main threads of a group's processes, as "MiniBrowser S". @param {number} group */
function statesOf(group) {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const found = /\((.*)\) (\S) \d+ (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"));
        return found && Number(found[3]) === group ? `${found[1]} ${found[2]}` : [];
      } catch {
        return []; // It has just ended.
      }
    });
}

/**
 * Whether the main thread of a page never waits. Such a page keeps a browser from answering, and is not WebKit's fault.
 * @param {number} group of processes
 */
async function isComputing(group) {
  for (let looks = 0; looks < 20; looks++) {
    if (!statesOf(group).some((state) => /^WebKitWebProces R/.test(state))) return false;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return true;
}

/** @param {import("selenium-webdriver").WebDriver} driver @returns {import("./browsers.js").Driver["evaluate"]} */
const evaluator =
  (driver) =>
  async (fn, ...args) => {
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

/**
 * @param {WebKit} browser
 * @param {import("selenium-webdriver").WebDriver} driver
 * @param {Record<string, string>} keyCodes
 * @param {string} handle of the page's window
 * @param {boolean} [isTab] beside the first page
 * @returns {import("./browsers.js").Driver}
 */
function openPage(browser, driver, keyCodes, handle, isTab = false) {
  /** @type {string[]} */
  const errors = [];
  /** @type {string[]} */
  const requests = [];
  const evaluateHere = evaluator(driver);
  let isClosed = false;
  const focus = async () => {
    // A test that was given up after its time goes on, and must not drive the next test's page.
    if (isClosed) throw new Error("This page of webkit has been closed.");
    if ((await driver.getWindowHandle().catch(() => "")) !== handle) await driver.switchTo().window(handle);
  };
  /** One tab after the other, because the driver has one at a time. @type {import("./browsers.js").Driver["evaluate"]} */
  const evaluate = (...given) => {
    const result = browser.queue.then(focus).then(() => evaluateHere(...given));
    browser.queue = result.catch(() => {});
    return result;
  };
  const collect = async () => {
    errors.push(...(await evaluate(() => globalThis.watched?.errors.splice(0) ?? [])));
    requests.push(...(await evaluate(() => performance.getEntriesByType("resource").map((entry) => entry.name))));
  };
  return {
    name: "webkit",
    webkit: browser,
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
      return openPage(browser, driver, keyCodes, await driver.getWindowHandle(), true);
    },
    async close() {
      // Unless the browser has already closed.
      const closing = focus().then(() => (isTab ? driver.close() : driver.get("about:blank")));
      isClosed = true;
      await closing.catch(() => {});
    },
    isGone: () => isClosed || browser.isLost(),
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
