import { accessSync, constants, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Engine } from "../../engine.ts";
import { HookError, type Problem } from "../../errors.ts";
import { defaultStateFolder } from "../../state/default-state-folder.ts";
import { isPrivateFolder } from "../../state/private-folder.ts";
import { asStateError } from "../../state/state-errors.ts";
import { problemOfRule } from "../rule-problem.ts";

/** Warns of rules that grant `state` if `hookbox run` cannot keep state here. Their gates deny every call. */
export function unusableState({ rules, problems }: Pick<Engine, "rules" | "problems">): Problem[] {
  const concerned = rules.filter(
    (rule) =>
      // A rule that cannot run has a more important problem.
      rule.handler.type === "wasm" &&
      rule.handler.grants?.state !== undefined &&
      problemOfRule(rule, problems) === undefined,
  );
  if (concerned.length === 0) return [];
  const error = errorOfFolder();
  if (error === undefined) return [];
  return concerned.map(({ name, place }) => ({
    severity: "warning",
    code: "HOOK_STATE",
    message: `rule "${name}": grants state, and "hookbox run" cannot keep it: ${error.message}`,
    ...(place === undefined ? {} : { place }),
  }));
}

function errorOfFolder(): Error | undefined {
  let folder = "";
  try {
    folder = join(defaultStateFolder(), "guards");
    if (isPrivateFolder(folder)) return undefined;
    while (!existsSync(folder)) folder = dirname(folder);
    accessSync(folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const known = asStateError(error, folder);
    return known instanceof HookError ? known : (error as Error);
  }
}
