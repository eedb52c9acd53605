import type { LayeredSettings } from "../config/layered-settings.ts";
import { loadConfig } from "../config/load.ts";
import type { LoadedConfig } from "../config/parse.ts";
import { HookError } from "../errors.ts";
import type { RuleInput } from "./options.ts";

/** Turns rules from code into rules and warnings. Throws a `HookError` that names the first invalid rule. */
export async function loadRegistered(
  name: string,
  inputs: readonly RuleInput[],
  cwd: string,
  given: { readonly settings: readonly LayeredSettings[]; readonly modelFunctions: readonly string[] },
): Promise<Pick<LoadedConfig, "rules" | "problems">> {
  const hooks: Record<string, unknown[]> = Object.create(null) as Record<string, unknown[]>;
  for (const { event, matcher, ...handler } of inputs) {
    hooks[event] = [...(hooks[event] ?? []), { ...(matcher === undefined ? {} : { matcher }), hooks: [handler] }];
  }
  const source = { name, value: { hooks }, layer: "session" as const, baseDir: cwd };
  const { rules, problems } = await loadConfig([], [source], cwd, given);
  const error = problems.find((problem) => problem.severity === "error");
  if (error === undefined) return { rules, problems };
  throw new HookError("HOOK_API_MISUSE", error.message, {
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    ...(error.place === undefined ? {} : { place: error.place }),
  });
}
