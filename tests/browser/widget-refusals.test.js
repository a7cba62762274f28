// What an author or a link says that no widget can use is never dropped and always explained.
import assert from "node:assert/strict";
import { test } from "node:test";
import { contentBrowserNames } from "./names.js";
import { openWidgets } from "./widgets.js";

/** Attributes, and how they are explained. */
const refused = [
  [
    "order-bench first='top_k tok_p'",
    /first takes repetition, temperature, top_k, top_p, min_p, .*“tok_p” does not fit/,
  ],
  ["order-bench second='top_k top_k'", /second takes .* each once, .*“top_k” does not fit/],
  ["hands on='temperature junk'", /on takes guidance, .*training, .*“junk” does not fit/],
  ["hands order='training'", /order takes guidance, penalty, temperature, cutoff, .*“training” does not fit/],
  ["funnel order='topK'", /order takes temperature, .*“topK” does not fit/],
  ["funnel watch='99'", /there is no token 99, they are numbered from 0 to 5/],
  ["guidance way='both'", /way must be one of guidance, contrast, but is “both”/],
  ["json-mask form='xml'", /form must be one of schema, call, regex, but is “xml”/],
  ["softmax-steps example='Weather'", /example must be one of weather, close, clear, but is “Weather”/],
  ["softmax-steps temperature='0'", /Nothing can be divided by a temperature of 0/],
  ["speculation scene='all'", /scene must be one of example, write, trees, cost, proof, but is “all”/],
  ["rulers top-k='2.5'", /top-k must be a whole number from 0 to 1000, but is 2\.5/],
  ["nucleus theme='blue'", /theme must be one of light, dark, but is “blue”/],
  ["nucleus src='model.gguf'", /src: this widget uses no model/],
];

for (const name of contentBrowserNames)
  test(`unusable arguments in ${name}`, { timeout: 900_000 }, async (t) => {
    const page = await openWidgets(name, t);

    await t.test("an attribute that does not fit is explained, in the reader's language too", async () => {
      await page.show(refused.map(([start]) => `<lastinch-${start}></lastinch-${start.split(" ")[0]}>`).join(""));
      const texts = await page.driver.evaluate(() =>
        [...document.querySelectorAll("main > *")].map((widget) =>
          widget.shadowRoot.querySelector(".problem")?.textContent.trim(),
        ),
      );
      texts.forEach((text, i) => assert.match(text ?? "", refused[i][1]));
      await page.show("<lastinch-hands on='junk'></lastinch-hands>", { lang: "zh" });
      assert.match(await page.text(), /“junk”不合要求/);
    });

    await t.test("a misspelt attribute is explained, and foreign attributes are ignored", async () => {
      const words = ["topp", "top_p", "temprature", "THEM"];
      await page.show(words.map((word) => `<lastinch-nucleus ${word}="0.5"></lastinch-nucleus>`).join(""));
      const texts = await page.driver.evaluate(() =>
        [...document.querySelectorAll("main > *")].map(
          (widget) => widget.shadowRoot.querySelector(".problem")?.textContent,
        ),
      );
      assert.deepEqual(texts, [
        "There is no attribute topp: top-p is meant.",
        "There is no attribute top_p: top-p is meant.",
        "There is no attribute temprature: temperature is meant.",
        "There is no attribute them: theme is meant.",
      ]);
      await page.show(
        '<lastinch-nucleus id="src" data-v-topp title="temp" class="u" x-top-p="1" foo="1"></lastinch-nucleus>',
      );
      assert.match(await page.text(), /store/);
    });

    await t.test("unusable texts and data of a script are explained until they fit", async () => {
      await page.show("<lastinch-nucleus></lastinch-nucleus>");
      for (const [name, bad, problem] of [
        ["texts", { titel: "Kern" }, /no text called titel/],
        ["data", { tokens: ["a", "b"], logits: [1] }, /data must be \{ tokens, logits \}: two lists/],
      ]) {
        await page.inside((widget, _, name, bad) => void (widget[name] = bad), name, bad);
        await page.until((_, root, pattern) => new RegExp(pattern).test(root.textContent), problem.source);
        await page.inside((widget, _, name) => void (widget[name] = undefined), name);
        assert.match(await page.text(), /store/);
      }
    });

    await t.test("a word that the glossary lacks stays in its sentence, and the known words are listed", async () => {
      await page.show("<lastinch-glossary></lastinch-glossary>");
      await page.inside((widget) =>
        widget.insertAdjacentHTML("afterend", '<lastinch-glossary term="heat">hot</lastinch-glossary>'),
      );
      const words = await page.until(
        () => document.querySelector("[term]").shadowRoot.querySelector(".problem")?.textContent,
      );
      assert.match(words, /term must be one of token, .*, seed, but is “heat”/);
    });

    await t.test("unknown parts of a link are named, and the others apply", async () => {
      const hash = "#v=1&w=order-bench&temperature=3&top-p=2&first=top_k+junk&colour=red";
      await page.show("<lastinch-order-bench></lastinch-order-bench>", { hash });
      assert.equal(await page.inside(({ temperature, topP }) => `${temperature} ${topP}`), "3 0.9");
      assert.match(await page.text(), /cannot be used here: top-p, first, colour\./);
      await page.show("<lastinch-order-bench></lastinch-order-bench>", { hash: "#v=9&w=order-bench&temperature=3" });
      assert.match(await page.text(), /cannot be used here: v\./);
    });

    await t.test("a field shows its limits, and a bad seed is explained", async () => {
      await page.show("<lastinch-json-mask></lastinch-json-mask>");
      assert.match(await page.text(), /What the model reads first at most 800 characters/);
      await page.inside((_, root) => {
        const input = root.querySelector("#seed");
        input.value = "1.5";
        input.dispatchEvent(new Event("change"));
      });
      assert.match(await page.text(), /A seed is a whole number, 0 or more/);
    });

    await t.test("embed code names the script that the page has, or says that its address is missing", async () => {
      await page.show("<lastinch-nucleus></lastinch-nucleus>");
      await page.inside((_, root) => {
        const clipboard = { writeText: async (text) => void (globalThis.copied = text) };
        Object.defineProperty(navigator, "clipboard", { value: clipboard });
        [...root.querySelectorAll("footer button")][1].click();
      });
      await page.until((widget) => widget.statusText.startsWith("Copied."));
      assert.match(await page.text(), /Copied\. It works on this machine alone: .* in the place of localhost/);
      const copied = () => page.driver.evaluate(() => globalThis.copied);
      assert.ok((await copied()).includes(`src="${page.site.origin}/dist/widget-nucleus.js"`));
      // In a bundle, or in a single file, the script is elsewhere.
      await page.inside(async (widget) => (await import("/web/widgets/shared/share.js")).copy(widget, "embedCode"));
      assert.ok((await copied()).includes('src="lastinch/widget-nucleus.js"'));
      assert.match(await page.text(), /Copied\. Put the address of lastinch's folder dist/);
    });
    await page.checkQuiet();
  });
