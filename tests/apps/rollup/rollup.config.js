import { fileURLToPath } from "node:url";

// In place of @rollup/plugin-node-resolve, which every app has: Rollup alone looks into no package.
const nodeResolve = {
  name: "node-resolve",
  resolveId: (/** @type {string} */ id) => (/^lastinch/.test(id) ? fileURLToPath(import.meta.resolve(id)) : null),
};

export default { input: "main.js", output: { dir: "dist" }, plugins: [nodeResolve] };
