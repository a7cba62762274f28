// What two workers without shared memory pay to exchange the halves of a row or a batch, in microseconds: each posts a half
// and waits for the other half, through a port between the workers and through the page.
// `node tests/bench/exchange.js [--in chromium,firefox,webkit] [--rounds 400]`
import { parseArgs } from "node:util";
import { browserNames, closeBrowsers, launch } from "../browser/browsers.js";
import { startSite } from "../browser/site.js";

const { values } = parseArgs({
  options: { in: { type: "string", default: browserNames.join(",") }, rounds: { type: "string", default: "400" } },
});
/** Bytes of a half: one row of 1,024 and 3,072 floats, 64 rows of both. */
const sizes = [2048, 6144, 131072, 393216];

/** Runs in a worker: the same in both. */
function serve() {
  let port = globalThis;
  let arrived = () => {};
  const halves = [];
  const take = ({ data }) => {
    halves.push(data);
    arrived();
  };
  onmessage = async (event) => {
    const { data, ports } = event;
    if (data instanceof ArrayBuffer) return take(event);
    if (ports.length) {
      port = ports[0];
      port.onmessage = take;
      return;
    }
    const times = [];
    let half = new ArrayBuffer(data.size);
    for (let round = 0; round < data.rounds; round++) {
      const began = performance.now();
      port.postMessage(half, [half]);
      if (!halves.length) await new Promise((resolve) => (arrived = resolve));
      half = halves.shift(); // what came is sent on next: nothing is allocated
      times.push(performance.now() - began);
    }
    globalThis.postMessage(times);
  };
}

/** Runs in the page: the mean of an exchange, after a quarter of the rounds. */
async function measure(source, size, rounds, isDirect) {
  const address = URL.createObjectURL(new Blob([`(${source})()`], { type: "text/javascript" }));
  const workers = [new Worker(address), new Worker(address)];
  const results = workers.map(
    (worker, i) =>
      new Promise((resolve) => {
        worker.onmessage = ({ data }) =>
          data instanceof ArrayBuffer ? workers[1 - i].postMessage(data, [data]) : resolve(data);
      }),
  );
  const channel = new MessageChannel();
  workers.forEach((worker, i) => {
    if (isDirect) worker.postMessage({}, [i ? channel.port1 : channel.port2]);
    worker.postMessage({ size, rounds });
  });
  const [times] = await Promise.all(results);
  for (const worker of workers) worker.terminate();
  URL.revokeObjectURL(address);
  const later = times.slice(rounds / 4);
  const sum = later.reduce((total, time) => total + time, 0);
  return (1000 * sum) / later.length;
}

const rows = [];
for (const name of values.in.split(",")) {
  const site = await startSite();
  const driver = await launch(name);
  try {
    await driver.open(`${site.origin}/tests/browser/blank.html`);
    for (const isDirect of [true, false]) {
      const row = { browser: name, through: isDirect ? "a port" : "the page" };
      for (const size of sizes) {
        const means = [];
        for (let run = 0; run < 5; run++)
          means.push(await driver.evaluate(measure, String(serve), size, Number(values.rounds), isDirect));
        row[`${size / 1024} KB`] = `${Math.min(...means).toFixed(0)} to ${Math.max(...means).toFixed(0)}`;
      }
      rows.push(row);
    }
  } finally {
    await driver.close();
    await site.close();
  }
}
console.log("Microseconds of an exchange, means of five runs, least and most:");
console.table(rows);
await closeBrowsers();
