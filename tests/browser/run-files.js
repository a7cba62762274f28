// Runs test files in a process of their own, in one browser.
import { spawn } from "node:child_process";
import { basename } from "node:path";
import { LOST } from "./start.js";

/**
 * Prints the output when the process has ended, so that outputs do not mix. Files that failed are run once more, in a
 * new browser, if the browser stopped answering: an assertion that fails is never tried again.
 * @param {string} browser
 * @param {string[]} args of Node
 * @param {AbortSignal} signal ends the process
 * @param {(text: string) => void} [print]
 * @returns {Promise<{ isGood: boolean, count: number }>} count of the tests
 */
export async function runFiles(browser, args, signal, print = (text) => void process.stdout.write(text)) {
  for (let tries = 1; ; tries++) {
    const { code, output } = await runOnce(browser, args, signal);
    print(output);
    const count = Number([...output.matchAll(/^\D*tests (\d+)$/gm)].at(-1)?.[1] ?? 0);
    if (code !== LOST || tries === 2 || signal.aborted) return { isGood: code === 0, count };
    const names = args.map((arg) => basename(arg)).join(" ");
    print(`# ${browser} was lost in ${names}, which runs again in a new one\n`);
  }
}

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
  return { code, output: String(Buffer.concat(pieces)) };
}
