// What is read of a row that lies on a GPU, and what proves that no more is needed. Fetched when a reader first asks.
import { html, nothing } from "lit";
import { createSampler } from "../../sampler.js";
import { barTable } from "./bars.js";
import { formatCount, formatPercent } from "./format.js";
import { makePageDevice } from "./page-device.js";
import { configure } from "./sampling.js";

/** @typedef {import("../../index.js").GpuSampler} GpuSampler */
/** @typedef {import("../../index.js").Device} Device */
/** @typedef {import("../../index.js").RowRead} RowRead */

/**
 * A row to read.
 * @typedef {object} Asked
 * @property {Float32Array} logits
 * @property {import("./sampling.js").Settings & { tokenCount: number }} settings
 * @property {readonly number[]} history
 * @property {import("./look.js").View} view
 */

/** @typedef {{ device: Device, name?: string }} Place a device, and the name of its adapter, if it is one */

/** @typedef {{ asked: Asked, read: RowRead, name?: string, crossed: number, mass: number, most: number }} Shown */

/** WebGPU's STORAGE, COPY_SRC and COPY_DST. */
const ROW_USAGE = 128 | 4 | 8;
const LARGE = 128_256;

/** @type {import("./words.js").Words} */
export const words = {
  readCaption: "What is read of this row, and what is left on the GPU",
  read: "read: the largest",
  stayed: "left on the GPU",
  gathered: "The logits of {count} tokens were asked for by their ids, because the penalty may change them.",
  proof_temperature: "Proof: temperature 0 takes the largest logit, and that was read.",
  proof_top_k: "Proof: top-k keeps {kept} tokens, and as many were read that are all likelier than any token left.",
  proof_min_p: "Proof: min-p removes whatever is below {threshold}, and the likeliest token left has {most}.",
  proof_top_p:
    "Proof: the GPU counts how many logits lie how far below the largest. That bounds the probability left from both sides, and with either bound top-p keeps the same {kept} tokens.",
  proofNone: "Proof: every token that may be chosen was read.",
  needed: "No proof: {stage} might keep tokens that were left. So the row was read, too.",
  neededAll: "No proof: nothing cuts tokens off, so any token may be drawn. So the row was read, too.",
  bytes:
    "Read: {bytes} bytes, in a row of {row}. The part is as large for a row of {large} tokens, which has {largeRow} bytes.",
  bytesWhole: "Read: {bytes} bytes, which are a part and all {row} of the row.",
  onThisGpu: "Your GPU did this just now ({name}).",
  onPage: "This browser offers no WebGPU. JavaScript did what the GPU would do, with the same result.",
};

/** The page's GPU, or what stands in for it. @type {Promise<Place> | undefined} */
let found;

/** @returns {Promise<Place>} */
async function findPlace() {
  try {
    const adapter = await /** @type {any} */ (navigator).gpu?.requestAdapter();
    if (adapter) {
      /** @type {Device} */
      const device = await adapter.requestDevice();
      device.lost.then(() => (found = undefined));
      const { vendor, architecture, description } = adapter.info ?? {};
      return { device, name: [vendor, architecture, description].filter(Boolean).join(" ") || "WebGPU" };
    }
  } catch {
    // Some browsers have WebGPU, and then refuse a device.
  }
  return { device: makePageDevice() };
}

export class RowReader {
  /** @type {Asked | undefined} */
  #asked;
  /** @type {Shown | undefined} */
  #shown;
  #isReading = false;
  /** For rows of one length on one device. @type {{ device: Device, sampler: GpuSampler, buffer: any } | undefined} */
  #tools;

  /** @param {import("./element.js").LastInchElement} host */
  constructor(host) {
    this.host = host;
  }

  /** @param {Asked} asked the same object for the same row, settings and history */
  view(asked) {
    if (asked !== this.#asked) {
      this.#asked = asked;
      void this.#readAll();
    }
    const shown = this.#shown;
    return html`<div aria-busy=${shown?.asked !== asked}>${shown ? this.#table(shown) : nothing}</div>`;
  }

  /** Reads what was asked for last: while one row is read, others may be asked for and given up. */
  async #readAll() {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      for (let asked; asked !== this.#asked;) {
        asked = /** @type {Asked} */ (this.#asked);
        this.#shown = await this.#read(asked);
      }
    } catch (error) {
      this.host.failure = error;
    } finally {
      this.#isReading = false;
    }
    this.host.requestUpdate();
  }

  /** @param {Asked} asked @returns {Promise<Shown>} */
  async #read(asked) {
    const { logits, settings, history } = asked;
    const { device, name } = await (found ??= findPlace());
    try {
      if (this.#tools?.device !== device || this.#tools.sampler.vocabSize !== logits.length) {
        this.#tools?.sampler.dispose();
        this.#tools?.buffer.destroy();
        const sampler = await createSampler({ vocabSize: logits.length });
        this.#tools = { device, sampler, buffer: device.createBuffer({ size: logits.byteLength, usage: ROW_USAGE }) };
      }
      const { sampler, buffer } = this.#tools;
      configure(sampler, settings, history);
      device.queue.writeBuffer(buffer, 0, logits);
      await sampler.distributionFrom(buffer, { device });
      const read = /** @type {RowRead} */ (sampler.lastRead);
      return { asked, read, name, ...shareOf(asked, read) };
    } catch (error) {
      if (name === undefined) throw error;
      // The GPU is lost, or cannot run the kernels.
      found = Promise.resolve({ device: makePageDevice() });
      return this.#read(asked);
    }
  }

  /** @param {Shown} shown */
  #table({ asked: { logits, settings, view }, read, name, crossed, mass, most }) {
    const { host } = this;
    const { tokenCount } = settings;
    const row = (/** @type {string} */ kind, /** @type {string} */ label, count = 0, share = 0) => ({
      kind,
      cells: [label, { bar: count / tokenCount }, formatCount(count), formatPercent(share)],
    });
    const bytes = {
      bytes: formatCount(read.bytes),
      row: formatCount(logits.byteLength),
      large: formatCount(LARGE),
      largeRow: formatCount(4 * LARGE),
    };
    return html`${barTable({
        caption: host.say("readCaption"),
        heads: ["token", "", "passed", "probability"].map((key) => key && host.say(key)),
        rows: [
          row("kept", host.say("read"), crossed, mass),
          row("cut", host.say("stayed"), tokenCount - crossed, Math.max(0, 1 - mass)),
        ],
      })}
      ${read.gathered ? html`<p>${host.say("gathered", { count: formatCount(read.gathered) })}</p>` : nothing}
      <p>${this.#proof(read, view, most)}</p>
      <p>${host.say(read.isWhole ? "bytesWhole" : "bytes", bytes)}</p>
      <p class="hint">${name === undefined ? host.say("onPage") : host.say("onThisGpu", { name })}</p>`;
  }

  /** @param {RowRead} read @param {import("./look.js").View} view @param {number} most */
  #proof({ isWhole, stage }, { stages }, most) {
    const { host } = this;
    if (isWhole) return stage ? host.say("needed", { stage: host.say(labels[stage]) }) : host.say("neededAll");
    if (!stage) return host.say("proofNone");
    const cut = stages.find(({ name }) => name === stage);
    return host.say(`proof_${stage}`, {
      kept: formatCount(cut?.after ?? 0),
      threshold: formatPercent(cut?.threshold ?? 0),
      most: formatPercent(most),
    });
  }
}

/** @type {Record<string, string>} */
const labels = { temperature: "temperature", top_k: "topK", top_p: "topP", min_p: "minP" };

/**
 * How many tokens were read, their probability, and the largest probability of any other token. A GPU lists the largest
 * logits, before penalties.
 * @param {Asked} asked
 * @param {RowRead} read
 */
function shareOf({ logits, settings: { tokenCount }, history, view: { probabilities } }, { tokens, gathered }) {
  const row = logits.subarray(0, tokenCount);
  const least = tokens ? row.slice().sort()[tokenCount - tokens] : Infinity;
  const listed = new Set(gathered ? history : []);
  let [crossed, mass, most] = [0, 0, 0];
  row.forEach((logit, id) => {
    if (logit >= least || listed.has(id)) {
      crossed++;
      mass += probabilities[id];
    } else most = Math.max(most, probabilities[id]);
  });
  return { crossed, mass: Math.min(1, mass), most };
}
