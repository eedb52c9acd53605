import { readFileSync, writeFileSync } from "node:fs";
import { anyRefusal, exitCodeFor, refusalText } from "../src/cli/agent-reply.ts";
import { DIALECTS } from "../src/dialects/registry.ts";

/**
 * Writes how the relays refuse, without an engine, in each dialect and at each event: `relay/refusals.generated.h` and a part of
 * `relay/relay.sh`.
 */

/** The relays replace this text with their reason. */
const REASON = "@reason@";

interface Refusal {
  readonly dialect: string;
  /** The agent's spelling. `undefined`: every event without an entry of its own. */
  readonly event: string | undefined;
  readonly exitCode: number;
  readonly stdout: string;
}

function refusals(): readonly Refusal[] {
  const unknown: Refusal = { dialect: "auto", event: undefined, exitCode: 2, stdout: anyRefusal(undefined, REASON) };
  const known = Object.values(DIALECTS).flatMap((dialect): Refusal[] => {
    const { name, eventNames } = dialect;
    const usual = { dialect: name, event: undefined, exitCode: 2, stdout: refusalText(dialect, undefined, REASON) };
    const events = Object.entries(eventNames).map(([event, canonical]): Refusal => {
      const exitCode = exitCodeFor(canonical, name);
      return { dialect: name, event, exitCode, stdout: exitCode === 2 ? refusalText(dialect, canonical, REASON) : "" };
    });
    return [usual, ...events.filter(({ exitCode, stdout }) => exitCode !== usual.exitCode || stdout !== usual.stdout)];
  });
  return [unknown, ...known];
}

export function refusalsHeader(): string {
  // The escapes of JSON mean the same in C, for ASCII.
  const quoted = (text: string): string => JSON.stringify(text).replaceAll(REASON, '\\1""');
  const rows = refusals().map(
    ({ dialect, event, exitCode, stdout }) =>
      `  {${quoted(dialect)}, ${event === undefined ? "0" : quoted(event)}, ${exitCode}, ${quoted(stdout)}},`,
  );
  return `/* Written by "npm run refusals" from the dialects. The byte \\1 stands for the reason. */
static const struct refusal {
  const char *dialect, *event;
  int exit_code;
  const char *stdout;
} REFUSALS[] = {
${rows.join("\n")}
  {0, 0, 0, 0},
};
`;
}

/** Returns the lines of a `case` statement, the specific ones first. */
export function refusalCases(): string {
  const byEffect = new Map<string, string[]>();
  for (const { dialect, event, exitCode, stdout } of [...refusals()].sort(
    (a, b) => Number(!a.event) - Number(!b.event),
  )) {
    const effect = `exit_code=${exitCode} stdout='${stdout.trim()}'`;
    const pattern = event === undefined ? `'${dialect} '*` : `'${dialect} ${event}'`;
    byEffect.set(effect, [...(byEffect.get(effect) ?? []), pattern]);
  }
  return [...byEffect].map(([effect, patterns]) => `    ${patterns.join(" | ")}) ${effect} ;;`).join("\n");
}

const SHELL_RELAY = new URL("../relay/relay.sh", import.meta.url);

export function shellRelay(): string {
  const text = readFileSync(SHELL_RELAY, "utf8");
  return text.replace(/(?<=# refusals-begin\n).*(?=# refusals-end)/s, () => `${refusalCases()}\n`);
}

if (process.argv[1]?.endsWith("write-refusals.ts")) {
  writeFileSync(new URL("../relay/refusals.generated.h", import.meta.url), refusalsHeader());
  writeFileSync(SHELL_RELAY, shellRelay());
}
