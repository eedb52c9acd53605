import { existsSync } from "node:fs";
import { join } from "node:path";
import { HookError } from "../../errors.ts";
import { configuredFolder, PROJECT_FILES } from "../config-files.ts";

/** Returns the user's own `hookbox.json`: the existing file, otherwise the path for a new one. */
export function usersFile(): string {
  const folder = configuredFolder();
  if (folder === undefined) throw new HookError("HOOK_CONFIG_NOT_FOUND", "the user's configuration folder is unknown");
  const files = PROJECT_FILES.map((name) => join(folder, name));
  return files.find((file) => existsSync(file)) ?? join(folder, "hookbox.json");
}
