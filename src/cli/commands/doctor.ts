import { packageInfo } from "../../package-info.ts";
import { asciiJson } from "../ascii-json.ts";
import { checkCalls } from "../doctor/canary.ts";
import { agentSettings } from "../doctor/entries.ts";
import { checkMachine } from "../doctor/machine.ts";
import { Report } from "../doctor/report.ts";
import { checkRules } from "../doctor/rules.ts";
import { checkServers } from "../doctor/server.ts";
import { checkSettings } from "../doctor/settings.ts";
import { EXIT } from "../exit-codes.ts";
import { AGENT_NAMES } from "../init/agents.ts";
import { type Console, parseVerbArgs, unknownWord, usageError, type Verb } from "../verb.ts";

const OPTIONS = {
  faults: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
} as const;

export const doctor: Verb = {
  summary: "check that hooks run and gates close, through the installed entries",
  usage: `Usage: hookbox doctor [AGENT] [--faults] [--json]

  AGENT      ${AGENT_NAMES.join(", ")}. Default: all whose settings exist
  --faults   also inject faults into a server of its own, and show that the gate stays shut
  --json     print JSON

  Looks at this machine, the server, the agents' settings and the rules that apply in the working directory. Sends
  calls that must be denied, and a harmless one, through the command line in the agent's settings. The calls are
  judged and never executed; your own hooks for these calls run. The text contains no secrets, and ~ for your home,
  so it can be part of a bug report.

Exit codes: 0 no problem   1 a problem   2 a mistake on the command line`,
  actions: AGENT_NAMES,
  options: () => OPTIONS,
  run: doctorVerb,
};

async function doctorVerb(args: readonly string[], console: Console): Promise<number> {
  const { values, positionals } = parseVerbArgs(args, OPTIONS);
  const [agent, another] = positionals;
  if (another !== undefined) throw usageError(`doctor takes one agent, not "${another}" too`);
  if (agent !== undefined && !AGENT_NAMES.includes(agent))
    throw unknownWord(`unknown agent "${agent}"; known: ${AGENT_NAMES.join(", ")}`, agent, AGENT_NAMES);
  const { cwd } = console;
  const { version } = packageInfo();
  const write = values.json ? () => {} : console.write;
  write(`hookbox ${version}\n`);
  const report = new Report(write, console.colour);
  report.add(await checkMachine());
  const settings = await agentSettings(agent, cwd);
  report.add(await checkServers(settings));
  report.add(checkSettings(settings, cwd));
  const { checks, engine } = await checkRules(settings, cwd);
  try {
    report.add(checks);
    for await (const check of checkCalls(settings, engine, cwd)) report.add([check]);
  } finally {
    await engine?.close();
  }
  if (values.faults) {
    const { checkFaults } = await import("../doctor/faults.ts");
    for await (const check of checkFaults()) report.add([check]);
  }
  report.end();
  const { isHealthy, checks: all } = report;
  if (values.json)
    console.write(
      `${asciiJson({ ok: isHealthy, hookbox: version, node: process.versions.node, platform: `${process.platform} ${process.arch}`, checks: all })}\n`,
    );
  return isHealthy ? EXIT.done : EXIT.problems;
}
