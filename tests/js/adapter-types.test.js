// A page in TypeScript that uses adapters beside the packages that they are for, compiled against all of their types.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { test } from "node:test";

test("adapters fit the types of the packages that they are for", () => {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tests/types/peers"], {
    cwd: root,
    stdio: "inherit",
  });
});
