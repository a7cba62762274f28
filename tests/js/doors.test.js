// The files that strangers meet first: workflows, templates, settings of tools. They run elsewhere. Here they must
// parse and name what exists.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { parse } from "yaml";

const root = new URL("../../", import.meta.url);
const read = (/** @type {string} */ path) => readFileSync(new URL(path, root), "utf8");
const listed = (/** @type {string} */ folder) => readdirSync(new URL(folder, root)).map((name) => `${folder}${name}`);
const targets = new Set([...read("Makefile").matchAll(/^([a-z-]+):(?!=)/gm)].map(([, target]) => target));
const workflows = listed(".github/workflows/");

/** The targets that a command makes. @param {string} command */
const madeBy = (command) => [...command.matchAll(/\bmake ([a-z][a-z-]*)/g)].map(([, target]) => target);

/** The commands of a job, one for each value of its matrix. @param {any} job @returns {string[]} */
function commandsOf({ steps, strategy }) {
  const runs = steps.flatMap((/** @type {any} */ { run = [] }) => run);
  return Object.entries(strategy?.matrix ?? {}).reduce(
    (commands, [name, values]) =>
      commands.flatMap((command) => values.map((value) => command.replaceAll(`\${{ matrix.${name} }}`, value))),
    runs,
  );
}

for (const path of workflows)
  test(`${path} parses, may only read, and makes targets that exist`, () => {
    const { on, permissions, jobs } = parse(read(path));
    assert.ok(on && Object.keys(jobs).length);
    assert.equal(permissions.contents, "read");
    for (const job of Object.values(jobs)) {
      assert.ok(job["timeout-minutes"] > 0);
      const commands = commandsOf(job);
      assert.ok(commands.every((command) => !command.includes("matrix.")));
      const made = commands.flatMap(madeBy);
      assert.ok(made.length);
      for (const target of made) assert.ok(targets.has(target), `make ${target}`);
    }
  });

test("every stage of `make test` runs for every change", () => {
  const [, stages] = /^test: .*\n.*for stage in (.*?); do/m.exec(read("Makefile")) ?? [];
  const commands = Object.values(parse(read(".github/workflows/ci.yml")).jobs).flatMap(commandsOf);
  // Every other stage includes `build`.
  const wanted = stages.replace(/\$\(if \$\(only\),,(.*?)\)/g, "$1").split(" ");
  for (const stage of wanted.filter((name) => name !== "build")) assert.ok(commands.includes(`make ${stage}`), stage);
});

test("every target that CONTRIBUTING.md names exists", () => {
  const named = [...read("CONTRIBUTING.md").matchAll(/\bmake ((?:\w+=\S+ )*)([a-z-]+)(?![\w/.=-])/g)].map(
    ([, , target]) => target,
  );
  assert.ok(named.length > 20);
  assert.deepEqual(
    named.filter((target) => !targets.has(target)),
    [],
  );
});

test("templates and settings parse, and the devcontainer makes a target that exists", () => {
  for (const path of listed(".github/ISSUE_TEMPLATE/").filter((name) => !name.endsWith("config.yml"))) {
    const { name, description, body } = parse(read(path));
    assert.ok(name && description && body.length, path);
  }
  assert.equal(typeof parse(read(".github/ISSUE_TEMPLATE/config.yml")).blank_issues_enabled, "boolean");
  const [target] = madeBy(JSON.parse(read(".devcontainer/devcontainer.json")).postCreateCommand);
  assert.ok(targets.has(target));
});

test("Renovate finds the versions in get.js, and every exception in its settings is a dependency", () => {
  const { customManagers, packageRules } = JSON.parse(read("renovate.json"));
  const found = customManagers.flatMap(({ matchStrings }) =>
    matchStrings.flatMap((pattern) => [...read("tests/settings/get.js").matchAll(new RegExp(pattern, "g"))]),
  );
  assert.ok(found.length >= 10);
  assert.ok(found.some(({ groups }) => groups.depName === "@sveltejs/kit" && /^\d/.test(groups.currentValue)));
  const { devDependencies } = JSON.parse(read("package.json"));
  for (const { matchDepNames = [] } of packageRules)
    for (const name of matchDepNames) assert.ok(devDependencies[name], name);
});

test("only one file has what the owner must fill in", () => {
  const files = [...workflows, ...listed(".github/ISSUE_TEMPLATE/"), ".github/pull_request_template.md", "SECURITY.md"];
  for (const path of [...files, "CONTRIBUTING.md", "README.md", "package.json", "renovate.json"])
    assert.doesNotMatch(read(path), /\bOWNER\b(?!\.md)/, path);
  assert.match(read(".github/OWNER.md"), /`OWNER`/);
  assert.match(read("SECURITY.md"), /\.github\/OWNER\.md/);
  assert.ok(existsSync(new URL(".github/OWNER.md", root)));
});
