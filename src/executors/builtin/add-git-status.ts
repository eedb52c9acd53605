import type { BuiltinHook } from "./builtin.ts";
import { addGitText } from "./git.ts";

const MAX_BYTES = 8_192;

export const addGitStatus: BuiltinHook = {
  run: (call) =>
    // What has changed within a submodule is asked of a git of its own, which knows nothing of our settings.
    addGitText(call, "Git status:", ["status", "--short", "--branch", "--ignore-submodules=dirty"], MAX_BYTES),
};
