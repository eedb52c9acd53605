import { release, type } from "node:os";
import { cleanLine } from "../../text.ts";
import { addText, type BuiltinHook } from "./builtin.ts";
import { repositoryRoot } from "./git.ts";

/** Where the agent is, and on what. */
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
