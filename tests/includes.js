// Which C files form cycles of includes: `node tests/includes.js [folder of a checkout]` lists them.
// A file depends on the headers that it includes; a header depends on the sources that define its functions.
import { readFileSync, readdirSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const definition = /^[a-z][^\n;=]*?\b(li_\w+)\([^;{]*?\)\n\{/gm;
const declaration = /^[a-z][^\n=]*?\b(li_\w+)\(/gm;

/** What each file of src/ depends on: a Map of paths to Sets of paths, relative to src/. */
export function dependencies(root) {
  const source = join(root, "src");
  const texts = new Map();
  for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.[ch]$/.test(entry.name)) continue;
    const path = join(entry.parentPath ?? entry.path, entry.name);
    texts.set(relative(source, path), readFileSync(path, "utf8"));
  }
  const definedIn = new Map();
  for (const [file, text] of texts)
    if (file.endsWith(".c"))
      for (const [head, name] of text.matchAll(definition)) if (!head.startsWith("static")) definedIn.set(name, file);
  const graph = new Map();
  for (const [file, text] of texts) {
    const used = [...text.matchAll(/#include "([^"]+)"/g)].map((match) => match[1]).filter((path) => texts.has(path));
    if (file.endsWith(".h") && file !== "lastinch.h")
      for (const [, name] of text.matchAll(declaration)) if (definedIn.has(name)) used.push(definedIn.get(name));
    graph.set(file, new Set(used));
  }
  return graph;
}

/** Strongly connected components of more than one module (a source with its header), the largest first (Tarjan 1972). */
export function cycles(graph) {
  const order = new Map();
  const low = new Map();
  const stack = [];
  const found = [];
  const visit = (file) => {
    order.set(file, order.size);
    low.set(file, order.get(file));
    stack.push(file);
    for (const next of graph.get(file)) {
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) low.set(file, Math.min(low.get(file), low.get(next)));
    }
    if (low.get(file) !== order.get(file)) return;
    const component = stack.splice(stack.indexOf(file)).sort();
    if (new Set(component.map((path) => basename(path).replace(/\.[ch]$/, ""))).size > 1) found.push(component);
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return found.sort((a, b) => b.length - a.length);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const found = cycles(dependencies(resolve(process.argv[2] ?? join(import.meta.dirname, ".."))));
  for (const files of found) console.log(`${files.length} files: ${files.join(" ")}`);
  console.log(`${found.length} cycles, ${found.reduce((sum, files) => sum + files.length, 0)} files in them`);
}
