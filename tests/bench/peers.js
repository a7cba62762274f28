// The samplers that pages use today, as calls on given logits. Packages come from npm at exact versions into build/,
// for the bench alone.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";

export { usualTopP } from "../../demos/bench/measuring.js";

/**
 * Each package has a folder of its own, because npm removes from a folder what it is not asked for.
 * @param {string} name
 * @param {string} version
 */
export function installed(name, version) {
  const folder = new URL(`../../build/bench/of-npm/${name}/`, import.meta.url);
  mkdirSync(folder, { recursive: true });
  const place = new URL(`node_modules/${name}/`, folder);
  if (!existsSync(place))
    execFileSync(
      "npm",
      ["install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--omit=optional"].concat(
        ["--prefix", folder.pathname],
        `${name}@${version}`,
      ),
      { stdio: "ignore", timeout: 300_000 },
    );
  return place;
}

/** transformers.js's own multinomial sampler: (row, topK) => call. */
export async function transformersSampler() {
  const source = new URL("src/", installed("@huggingface/transformers", "4.3.1"));
  const { LogitsSampler } = await import(new URL("generation/logits_sampler.js", source).href);
  const { Tensor } = await import(new URL("utils/tensor.js", source).href);
  return (row, topK) => {
    const sampler = LogitsSampler.getSampler({ do_sample: true, num_beams: 1, top_k: topK });
    return () => sampler(new Tensor("float32", row, [1, row.length]));
  };
}
