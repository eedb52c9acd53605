import type { Config } from "./bare-host.ts";
import { meteredGuard } from "./metered-guard.ts";
import { fixturesOf, read, type Verdict } from "./verdict.ts";

export const callShellGuard = await meteredGuard("shell-guard");
export const fixtures = fixturesOf("shell-guard");

export const bashEvent = (command: unknown): string =>
  JSON.stringify({ abi: 1, hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command } });

export function judge(command: unknown, config: Config = {}): Verdict {
  return read(callShellGuard(bashEvent(command), config));
}
