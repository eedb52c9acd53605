import type { BuiltinHook } from "./builtin.ts";
import { addGitText } from "./git.ts";

const MAX_BYTES = 8_192;

export const addGitStatus: BuiltinHook = {
  run: (call) =>
    // Changes inside a submodule are ignored, because git would start another git without hookbox's settings.
    addGitText(call, "Git status:", ["status", "--short", "--branch", "--ignore-submodules=dirty"], MAX_BYTES),
};
