// Runs test files in a process of their own, in one browser.
import { spawn } from "node:child_process";
import { basename } from "node:path";
import { LOST } from "./start.js";

/**
 * Prints the output when the process has ended, so that outputs do not mix. What failed runs once more, in a new browser:
 * all files if the browser stopped answering, otherwise, unless CHECK_LONG is set, the files with a failed test. A file
 * that then passes is unsure.
 * @param {string} browser
 * @param {string[]} args of Node
 * @param {AbortSignal} signal ends the process
 * @param {(text: string) => void} [print]
 * @returns {Promise<{ isGood: boolean, count: number, unsure: string[] }>} count of the tests; unsure: names of files
 */
export async function runFiles(browser, args, signal, print = (text) => void process.stdout.write(text)) {
  const first = await runOnce(browser, args, signal);
  print(first.output);
  const isLost = first.code === LOST;
  const failed = isLost ? args : failedFiles(first.output);
  const mayPass = first.code !== 0 && !signal.aborted && failed.length > 0 && (isLost || !process.env.CHECK_LONG);
  if (!mayPass) return { isGood: first.code === 0, count: first.count, unsure: [] };
  const names = failed.map((file) => basename(file));
  const why = isLost ? `${browser} was lost` : `a test failed in ${browser}`;
  print(`# ${why} in ${names.join(" ")}, which runs again in a new one\n`);
  const others = args.filter((arg) => arg.endsWith(".test.js") && !failed.includes(arg));
  const again = await runOnce(
    browser,
    args.filter((arg) => !others.includes(arg)),
    signal,
  );
  print(again.output);
  const isGood = again.code === 0;
  return { isGood, count: isLost ? again.count : first.count, unsure: isGood && !isLost ? names : [] };
}

/** The files with a failed test: Node says where such a test stands. @param {string} output */
const failedFiles = (output) => [
  ...new Set([...output.matchAll(/^\D*location: '(.+?\.test\.m?js):/gm)].map(([, file]) => file)),
];

/** @param {string} browser @param {string[]} args @param {AbortSignal} signal */
async function runOnce(browser, args, signal) {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, BROWSERS: browser },
    stdio: ["ignore", "pipe", "inherit"],
  });
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  // An end by SIGTERM also ends its browser.
  const end = () => {
    child.kill("SIGTERM");
    timer = setTimeout(() => child.kill("SIGKILL"), 10_000);
  };
  if (signal.aborted) end();
  else signal.addEventListener("abort", end);
  /** @type {Buffer[]} */
  const pieces = [];
  child.stdout.on("data", (piece) => pieces.push(piece));
  const code = await new Promise((resolve) => child.once("close", resolve));
  clearTimeout(timer);
  signal.removeEventListener("abort", end);
  const output = String(Buffer.concat(pieces));
  return { code, output, count: Number([...output.matchAll(/^\D*tests (\d+)$/gm)].at(-1)?.[1] ?? 0) };
}
