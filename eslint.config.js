// What neither the formatter nor the type checker sees: promises that nobody waits for, names that nobody uses, and
// regular expressions that may take more than linear time.
import * as regexp from "eslint-plugin-regexp";
import ts from "typescript-eslint";

export default [
  { ignores: ["build", "dist", "demos/docs", "demos/templates/next", "tests/apps", "tests/vectors", "**/*-table.js"] },
  {
    files: ["**/*.js"],
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_", varsIgnorePattern: "^_$", caughtErrors: "none", ignoreRestSiblings: true },
      ],
    },
  },
  {
    files: ["web/**/*.js", "wasm/*.js", "tools/**/*.js"],
    languageOptions: {
      parser: ts.parser,
      parserOptions: { project: ["tsconfig.json", "tools/tsconfig.json"], tsconfigRootDir: import.meta.dirname },
    },
    plugins: { "@typescript-eslint": ts.plugin },
    rules: {
      "@typescript-eslint/await-thenable": "error",
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/no-misused-promises": "error",
    },
  },
  {
    files: ["web/**/*.js", "demos/**/*.js"],
    plugins: { regexp },
    rules: {
      "regexp/no-super-linear-backtracking": ["error", { report: "potential" }],
      "regexp/no-super-linear-move": "error",
      // The rules above read literals only.
      "no-restricted-syntax": [
        "error",
        {
          selector: ":matches(NewExpression, CallExpression)[callee.name='RegExp'][arguments.0.type!='Literal']",
          message: "Say why this takes linear time: -- what the text can become.",
        },
      ],
    },
  },
];
