// Talking to one's own file in the playground: a scripted model with one answer and its thought.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { scriptedModel } from "../js/tiny-gguf.js";
import { checkAccess, inAllLooks } from "./axe.js";
import { browserNames, waitFor } from "./browsers.js";
import { facts, give, load, packed } from "./given-file.js";
import { once } from "./names.js";
import { openSite } from "./site.js";

/** The template ends with the token that begins a sequence, which the answer follows. */
const template = `{%- for message in messages %}{{ message.role }}: {{ message.content }}
{% endfor %}{%- if add_generation_prompt %}{{ bos_token }}{% endif %}{# thoughts end with </think> #}`;
const script = ["<think>", "A greeting", ".", "</think>", "Good", " day", " to", " you"];
const fileOf = (script) =>
  packed(scriptedModel({ script, context: 256, extra: { "tokenizer.chat_template": ["string", template] } }).bytes);
const talker = fileOf(script);
/** Its thought has no end. After a newline it says good day. */
const thinker = fileOf(["<think>", "A", " long", " thought", ".", 10, "Good", " day"]);

const isDone = () => document.querySelector("#send").textContent === "Send";
const shown = (driver) =>
  driver.evaluate(() => ({
    said: [...document.querySelectorAll("#messages .said")].map((element) => element.textContent),
    thoughts: [...document.querySelectorAll("#messages .thought")].map((thought) => [
      thought.open,
      thought.querySelector("p").textContent,
    ]),
    status: document.querySelector("#chat-status").textContent,
    alert: document.querySelector("#alert").hidden ? "" : document.querySelector("#alert").textContent,
    message: document.querySelector("#message").value,
    focus: document.activeElement.id,
  }));

const type = (driver, id, text) =>
  driver.evaluate(
    (id, text) => {
      const field = document.getElementById(id);
      field.value = text;
      for (const name of ["input", "change"]) field.dispatchEvent(new Event(name, { bubbles: true }));
    },
    id,
    text,
  );

/** Fills in a field among all options. */
const option = async (driver, name, text) => {
  await driver.evaluate(() => (document.querySelector("#all-options").open = true));
  await waitFor(driver, (name) => document.getElementById(`option-${name}`) !== null, [name]);
  await type(driver, `option-${name}`, text);
};

/** Says something with the keyboard, and waits for the whole answer. */
const say = async (driver, text) => {
  await type(driver, "message", text);
  await driver.press("Enter");
  await waitFor(driver, isDone);
  return shown(driver);
};

for (const name of browserNames)
  describe(`a conversation in ${name}`, { concurrency: false, timeout: 900_000 }, () => {
    /** @type {Awaited<ReturnType<typeof openSite>>} */
    let opened;
    before(async () => void (opened = await openSite(name)));
    after(() => opened?.close());
    const open = async (hash = "#v=1&seed=5&T=0", file = talker) => {
      const { driver, site } = opened;
      await driver.open(`${site.origin}/demos/playground.html${hash}`);
      await waitFor(driver, () => {
        const { disabled, textContent } = document.querySelector("#generate") ?? {};
        return disabled === false && textContent === "Generate";
      });
      assert.equal(await driver.evaluate(() => document.querySelector("#modes").hidden), true);
      await give(driver, "drop", file, "talker.gguf");
      await facts(driver);
      await load(driver);
      return driver;
    };

    test("a loaded file with a template answers messages, and its thoughts are folded", async () => {
      const driver = await open();
      assert.deepEqual(
        await driver.evaluate(() => [
          document.querySelector("[name=mode]:checked").value,
          document.activeElement.id,
          document.querySelector("#form").hidden,
        ]),
        ["chat", "message", true],
      );
      const first = await say(driver, "Hello?");
      assert.deepEqual(first.said, ["Hello?", "Good day to you"]);
      assert.deepEqual(first.thoughts, [[false, "A greeting."]]);
      assert.match(first.status, /^Answered: \d+ tokens, [\d,]+ a second; 0 of \d+ tokens before were kept\.$/);
      assert.deepEqual([first.message, first.focus, first.alert], ["", "message", ""]);
      const second = await say(driver, "And now?");
      assert.deepEqual(second.said, ["Hello?", "Good day to you", "And now?", "Good day to you"]);
      assert.doesNotMatch(second.status, /; 0 of/);
      const hidden = await driver.evaluate(() => {
        const { scrollHeight, scrollTop, clientHeight } = document.querySelector("#messages");
        return scrollHeight - scrollTop - clientHeight;
      });
      assert.ok(hidden < 2, `${hidden} px of the conversation's end are out of view`);
      assert.deepEqual(await driver.consoleErrors(), []);
    });

    test("a thought ends when it has the tokens of its budget, and says how many", async () => {
      const driver = await open(undefined, thinker);
      const endless = await say(driver, "Hello?");
      assert.deepEqual([endless.said, endless.thoughts], [["Hello?", ""], [[false, "A long thought.\nGood day"]]]);
      await type(driver, "thought-budget", "2");
      const asked = async () => {
        await driver.evaluate(() => document.querySelector("#message").focus());
        return say(driver, "And now?");
      };
      const ended = await asked();
      assert.equal(ended.said[3], "Good day");
      assert.deepEqual(ended.thoughts[1], [false, "A long"]);
      const name = await driver.evaluate(() => document.querySelectorAll(".thought summary")[1].textContent);
      // With what begins and ends it; the end is written byte by byte.
      assert.equal(name, `Thought, ${1 + 2 + "\n</think>".length} tokens`);
      await type(driver, "thought-budget", "0");
      const refused = await asked();
      assert.match(refused.alert, /reasoning\.budget/);
      assert.deepEqual([refused.said.length, refused.message], [4, "And now?"]);
      await type(driver, "thoughts", "off");
      assert.equal(await driver.evaluate(() => document.querySelector("#thought-budget").disabled), true);
      const off = await asked();
      assert.deepEqual([off.thoughts.length, off.alert], [2, ""]);
      assert.deepEqual(await driver.consoleErrors(), []);
    });

    test("the model gets the system message and the schema, and is told not to think", once(name), async () => {
      const driver = await open();
      const short = Number((await say(driver, "Hello?")).status.match(/of (\d+) tokens/)[1]);
      await driver.evaluate(() => document.querySelector("#new-conversation").click());
      assert.deepEqual((await shown(driver)).said, []);
      await type(driver, "system", "Be brief.");
      await type(driver, "thoughts", "off");
      await option(driver, "jsonSchema", '{ "type": "boolean" }');
      await driver.evaluate(() => document.querySelector("#message").focus());
      const answer = await say(driver, "Hello?");
      assert.ok(["true", "false"].includes(answer.said[1]), answer.said[1]);
      assert.deepEqual([answer.thoughts, answer.alert], [[], ""]);
      assert.ok(Number(answer.status.match(/of (\d+) tokens/)[1]) > short + 10, answer.status);

      await option(driver, "jsonSchema", '{ "type": ');
      await driver.evaluate(() => document.querySelector("#message").focus());
      const refused = await say(driver, "And now?");
      assert.equal(refused.said.length, 2);
      assert.equal(refused.message, "And now?");
      assert.match(refused.alert, /^jsonSchema: .*JSON/);
      await option(driver, "jsonSchema", "");
      await type(driver, "thoughts", "");
      await driver.evaluate(() => document.querySelector("#message").focus());
      assert.equal((await say(driver, "And now?")).said.length, 4);
    });

    test(
      "an error loses nothing: the message returns to its field, and the conversation continues",
      once(name),
      async () => {
        const driver = await open();
        await say(driver, "Hello?");
        const long = "Very long. ".repeat(100);
        const failed = await say(driver, long);
        assert.match(failed.alert, /context/);
        assert.deepEqual([failed.said, failed.message], [["Hello?", "Good day to you"], long.trim()]);
        const next = await say(driver, "And now?");
        assert.deepEqual([next.said.length, next.alert], [4, ""]);
      },
    );

    test(
      "a long conversation goes on, and a line says which turns the model no longer reads",
      once(name),
      async (t) => {
        const driver = await open();
        const line = () =>
          driver.evaluate(() => {
            const line = document.querySelector("#messages .line");
            const all = [...document.querySelectorAll("#messages article")];
            const isAbove = (element) => line?.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_PRECEDING;
            return {
              text: line?.textContent ?? "",
              above: all.map((element, i) => (isAbove(element) ? i : -1)).filter((i) => i >= 0).length,
              soft: all.map((element) => element.classList.contains("left-out")).lastIndexOf(true) + 1,
            };
          });
        const places = [];
        for (let turn = 1; turn <= 12; turn++) {
          const { said, alert, status } = await say(driver, `Question ${turn}, of some length?`);
          assert.deepEqual([said.length, said.at(-1), alert], [2 * turn, "Good day to you", ""]);
          assert.match(status, /^Answered/);
          const { text, above, soft } = await line();
          assert.equal(above, soft);
          if (above) assert.match(text, new RegExp(`above this line, ${above / 2} turns? with [1-9]\\d* tokens: `));
          else assert.equal(text, "");
          places.push(above);
        }
        assert.equal(places[0], 0);
        assert.ok(places.at(-1) >= 8, `${places}`);
        assert.deepEqual(
          places,
          [...places].sort((a, b) => a - b),
        );
        await inAllLooks(t, driver, () => checkAccess(driver), [1280, 390]);
        await driver.evaluate(() => document.querySelector("#new-conversation").click());
        assert.deepEqual(await line(), { text: "", above: 0, soft: 0 });
        const { said } = await say(driver, "Hello?");
        assert.equal(said.length, 2);
        assert.equal((await line()).text, "");
      },
    );

    test("Stop and Escape end an answer and keep its text", once(name), async () => {
      const driver = await open("#v=1&seed=5&T=0&tokens=3");
      const cut = await say(driver, "Hello?");
      assert.match(cut.status, /^The token limit is reached: 3 tokens/);
      assert.deepEqual([cut.said, cut.thoughts], [["Hello?", ""], [[false, "A greeting."]]]);
      // The worker never gets the message to begin, so the test has to wait only for the stop.
      for (const stop of [() => driver.press("Escape"), () => driver.click("#send")]) {
        await driver.evaluate(() => {
          const { postMessage } = Worker.prototype;
          Worker.prototype.postMessage = function (message, ...rest) {
            if (message.kind !== "generate") postMessage.call(this, message, ...rest);
          };
          globalThis.restorePosts = () => (Worker.prototype.postMessage = postMessage);
        });
        await type(driver, "message", "And now?");
        await driver.press("Enter");
        await waitFor(driver, () => document.querySelector("#send").textContent === "Stop");
        await driver.evaluate(() => new Promise((resolve) => setTimeout(resolve, 200)));
        await stop();
        await driver.evaluate(() => globalThis.restorePosts());
        await waitFor(driver, isDone);
        const stopped = await shown(driver);
        assert.deepEqual([stopped.said.length, stopped.message, stopped.alert], [2, "And now?", ""]);
        assert.match(stopped.status, /^Stopped/);
        await driver.evaluate(() => document.querySelector("#message").focus());
      }
    });

    test("the same file also writes stories", once(name), async () => {
      const driver = await open();
      await driver.evaluate(() => document.querySelector("[value=write]").click());
      await driver.evaluate(() => document.querySelector("#generate").click());
      await waitFor(driver, () => document.querySelector("#generate").textContent === "Generate");
      const state = await driver.evaluate(() => [
        document.querySelector("#chat").hidden,
        document.querySelector("#story").checkVisibility(),
        document.querySelectorAll("#story .token").length > 0,
      ]);
      assert.deepEqual(state, [true, true, true]);
      await driver.evaluate(() => {
        const field = document.querySelector("#model");
        field.value = "storyteller";
        field.dispatchEvent(new Event("change", { bubbles: true }));
      });
      assert.equal(await driver.evaluate(() => document.querySelector("#modes").hidden), true);
    });

    test("the messages form a log, read out when an answer is complete", once(name), async () => {
      const driver = await open();
      await say(driver, "Hello?");
      const { role, busy } = await driver.evaluate(() => ({
        role: document.querySelector("#messages").getAttribute("role"),
        busy: document.querySelectorAll("#messages [aria-busy]").length,
      }));
      assert.deepEqual([role, busy], ["log", 0]);
    });

    test("axe-core finds nothing", once(name), async (t) => {
      const driver = await open();
      await say(driver, "Hello?");
      await driver.evaluate(() => {
        for (const details of document.querySelectorAll("#chat-how, .thought")) details.open = true;
      });
      await inAllLooks(t, driver, () => checkAccess(driver));
    });
  });
