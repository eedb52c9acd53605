import { type BuiltinHook, silent } from "./builtin.ts";
import { changedFile } from "./changed-file.ts";
import { whyProgramFailed } from "./program-failure.ts";

const NEVER_FOLDERS = ["node_modules", ".git", "dist", "build", "coverage"];
const NEVER_FILES = /^\.env|\.(?:log|tmp|swp|bak)$/i;

/** Stages the changed file. A deleted file is removed from the index. */
export const gitAutoStage: BuiltinHook = {
  run: async (call) => {
    const file = await changedFile(call);
    if (file === undefined || isLeftOut(file.name)) return silent();
    const args = file.isGone ? ["rm", "--cached", "--quiet", "--ignore-unmatch"] : ["add"];
    // The path is passed literally after `--`, because a name may look like a pattern or an option.
    const ending = await call.tools.run("git", ["--literal-pathspecs", ...args, "--", file.path]);
    const why = whyProgramFailed("git", ending);
    return why === undefined ? silent() : silent(`${file.name} was not staged: ${why}`);
  },
};

/** Whether a file is a secret, an editor's temporary file, or a generated file. */
export function isLeftOut(name: string): boolean {
  const parts = name.toLowerCase().split("/");
  return parts.some((part) => NEVER_FOLDERS.includes(part)) || NEVER_FILES.test(parts.at(-1) ?? "");
}
