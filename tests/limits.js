// The bytes that a page may load, Brotli, from limits.json: the tests hold them, the documentation says them.
import limits from "./limits.json" with { type: "json" };

/** The limit of that name in bytes. @param {"sampler" | "widget" | "widgets" | "lesson" | "playground" | "model"} name */
export function limitOf(name) {
  const found = limits.find((limit) => limit.name === name);
  if (!found) throw new Error(`tests/limits.json has no ${name}`);
  return found.kilobytes * 1024;
}
