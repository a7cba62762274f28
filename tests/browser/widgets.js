// What every widget's test needs: a page with the widget, its shadow root, keys and clicks on its controls, axe-core's
// verdict.
import assert from "node:assert/strict";
import { checkAccess } from "./axe.js";
import { waitFor } from "./browsers.js";
import { once } from "./names.js";
import { openSite } from "./site.js";

/** What runs in the page: a function with the first widget and its shadow root. @param {Function} fn @param {any[]} args */
const inWidget = (fn, args) =>
  `(async () => { const widget = [...document.querySelectorAll("main *")].find((e) => e.localName.startsWith("lastinch-"));
     await widget.updateComplete; return (${fn})(widget, widget.shadowRoot, ...${JSON.stringify(args)}); })()`;

/**
 * A browser and a site for one test file.
 * @param {string} browser
 * @param {import("node:test").TestContext | { after: (fn: () => any) => void }} t
 */
export async function openWidgets(browser, t) {
  const { site, driver, close } = await openSite(browser);
  t.after(close);
  return new WidgetPage(driver, site);
}

export class WidgetPage {
  /** @param {import("./browsers.js").Driver} driver @param {import("./site.js").Site} site */
  constructor(driver, site) {
    this.driver = driver;
    this.site = site;
  }

  /**
   * Puts markup on an empty page and waits until its widgets have drawn themselves.
   * @param {string} html
   * @param {{ lang?: string, hash?: string, script?: string }} [how] script: which file of dist/
   */
  async show(html, { lang = "en", hash = "", script = "widgets.js" } = {}) {
    this.site.rewrite = (page) =>
      page.replace(/<html[^>]*>/, `<html lang="${lang}">`).replace("</body>", `<main>${html}</main></body>`);
    await this.driver.open(`${this.site.origin}/tests/browser/widget.html${hash}`);
    await this.driver.evaluate(async (file) => void (await import(`/dist/${file}`)), script);
    await waitFor(this.driver, () =>
      [...document.querySelectorAll("main *")]
        .filter(({ localName }) => localName.startsWith("lastinch-"))
        .every((widget) => widget.shadowRoot?.querySelector("figure .view > *, figure .problem")),
    );
  }

  /**
   * Runs a function with the first widget (or the one that `selector` finds) and its shadow root.
   * @param {(widget: any, root: any, ...args: any[]) => any} fn
   * @param {...any} args
   */
  inside(fn, ...args) {
    return this.driver.evaluate(inWidget(fn, args));
  }

  /** Waits until `fn` is truthy. @param {(widget: any, root: any, ...args: any[]) => any} fn @param {...any} args */
  until(fn, ...args) {
    return waitFor(this.driver, inWidget(fn, args));
  }

  /** Ends all animations: while another tab is in front no frames come, so they would not end. */
  atRest() {
    return this.inside((_, root) => root.getAnimations().forEach((moving) => moving.finish()));
  }

  /** The text of everything drawn. */
  text() {
    return this.inside((_, root) => root.querySelector("figure").innerText);
  }

  /** The cells of the n-th table, row by row, without bars. @param {number} [index] @returns {Promise<string[][]>} */
  table(index = 0) {
    return this.inside(
      (_, root, at) =>
        [...root.querySelectorAll("table")[at].tBodies[0].rows].map((row) =>
          [...row.cells].filter((cell) => !cell.ariaHidden).map((cell) => cell.textContent.trim()),
        ),
      index,
    );
  }

  /**
   * Presses keys with the focus on an element of the widget.
   * @param {string} selector
   * @param {...string} keys one after another
   */
  async press(selector, ...keys) {
    await this.inside((_, root, at) => void root.querySelector(at).focus(), selector);
    for (const key of keys) await this.driver.press(key);
  }

  /** Clicks an element of the widget. @param {string} selector */
  click(selector) {
    return this.inside((_, root, at) => void root.querySelector(at).click(), selector);
  }

  /** Checks that axe-core finds nothing on the page as it is now. Its findings are the same in all engines. */
  async checkAccess() {
    if (!once(this.driver.name).skip) await checkAccess(this.driver, { within: "main", least: 5 });
  }

  /** Checks that the console is empty and that nothing was fetched from elsewhere. */
  async checkQuiet() {
    assert.deepEqual(await this.driver.consoleErrors(), []);
    const others = (await this.driver.requests()).filter((url) => !/^(about|data|blob):/.test(url));
    assert.deepEqual(
      others.filter((url) => !url.startsWith(this.site.origin)),
      [],
    );
  }
}
