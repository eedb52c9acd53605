import { release, type } from "node:os";
import { cleanLine } from "../../text.ts";
import { addText, type BuiltinHook } from "./builtin.ts";
import { repositoryRoot } from "./git.ts";

/** Adds the working directory, the operating system and the CPU architecture. */
export const addEnvironmentInfo: BuiltinHook = {
  run: async ({ workingDir }) =>
    addText(
      [
        "Environment:",
        `Working directory: ${cleanLine(workingDir)}`,
        `Is a git repository: ${repositoryRoot(workingDir) === undefined ? "no" : "yes"}`,
        `Operating system: ${type()} ${release()} (${process.platform})`,
        `CPU architecture: ${process.arch}`,
      ].join("\n"),
    ),
};
