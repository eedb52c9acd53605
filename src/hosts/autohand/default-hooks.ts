import { missingHooks } from "../../dialects/autohand/shipped-hooks.ts";
import { HookError } from "../../errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../event.ts";

/**
 * What Autohand does on its first run: the value of a `config.json` with the hooks that come with it, all of them off,
 * after those that are there. What is there already, changed or not, stays as it is. Throws `HOOK_API_MISUSE` where
 * `hooks` is not what such a file has, since nothing of it may get lost.
 */
export function withDefaultHooks(config: JsonObject = {}): JsonObject {
  const section = config["hooks"] ?? {};
  const list = isJsonObject(section) ? (section["hooks"] ?? []) : undefined;
  if (!isJsonObject(section) || !Array.isArray(list))
    throw new HookError("HOOK_API_MISUSE", '"hooks" must be an object with a list "hooks" in it');
  const hooks: JsonValue[] = [...list, ...missingHooks(list).map((hook) => structuredClone(hook))];
  return { ...config, hooks: { ...section, hooks } };
}
