// Writes the code that C and JavaScript share: from src/tables/ the structs and rules of C and the tables of
// JavaScript; from C's headers the structs, enums and functions that JavaScript uses. `--check` only lists stale files.
import { writeOutputs } from "./outputs.js";
import { errorFiles } from "./errors.js";
import { exportFiles } from "./exports.js";
import { formNumberFiles } from "./form-numbers.js";
import { generateOptionFiles } from "./generate-options.js";
import { layoutFiles } from "./layouts.js";
import { optionFiles } from "./options.js";
import { versionFiles } from "./version.js";

writeOutputs({
  ...errorFiles,
  ...optionFiles,
  ...generateOptionFiles,
  ...layoutFiles,
  ...exportFiles,
  ...formNumberFiles,
  ...versionFiles,
});
