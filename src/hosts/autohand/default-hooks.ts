import { missingHooks } from "../../dialects/autohand/shipped-hooks.ts";
import { HookError } from "../../errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";

/**
 * Adds Autohand's default hooks to the value of a `config.json`, as Autohand does on its first run. The new hooks are
 * disabled and follow the existing hooks, which do not change. Throws `HOOK_API_MISUSE` if `hooks` does not have the
 * expected form, because an existing value must not be lost.
 */
export function withDefaultHooks(config: JsonObject = {}): JsonObject {
  const section = config["hooks"] ?? {};
  const list = isJsonObject(section) ? (section["hooks"] ?? []) : undefined;
  if (!isJsonObject(section) || !Array.isArray(list))
    throw new HookError("HOOK_API_MISUSE", '"hooks" must be an object with a list "hooks" in it');
  const hooks: JsonValue[] = [...list, ...missingHooks(list).map((hook) => structuredClone(hook))];
  return { ...config, hooks: { ...section, hooks } };
}
