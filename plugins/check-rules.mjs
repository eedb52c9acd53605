// Checks the rules of shell-guard by their own examples. A category fails if an example of it passes or belongs to
// another category, if a harmless example is refused, or if its alternative is refused. A rule fails if no example
// fires it.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const ENTRY = `
  export { default as guard } from "./guard.ts";
  export { PACKS } from "./packs/index.ts";
  export { Arguments, splitPrograms } from "./rules/rows.ts";
`;

async function load() {
  const resolveDir = fileURLToPath(new URL("shell-guard", import.meta.url));
  const guest = fileURLToPath(new URL("../dist/guest/index.js", import.meta.url));
  const { outputFiles } = await build({
    stdin: { contents: ENTRY, resolveDir, loader: "ts" },
    bundle: true,
    write: false,
    format: "esm",
    alias: { "hookbox/guest": guest },
  });
  const folder = await mkdtemp(join(tmpdir(), "rules-"));
  const file = join(folder, "rules.mjs");
  await writeFile(file, outputFiles[0].contents);
  try {
    return await import(pathToFileURL(file).href);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Returns what is wrong with the rules, one line for each fault. */
export async function faultsOfRules() {
  const { guard, PACKS, Arguments, splitPrograms } = await load();
  const { definition } = guard;
  const fired = new Set();
  const { match } = Arguments.prototype;
  Arguments.prototype.match = function (text) {
    const matches = match.call(this, text);
    if (matches) fired.add(text);
    return matches;
  };
  const judge = (command, config) => {
    const cwd = "/home/me/project";
    const actions = [{ kind: "command", command, directory: cwd }];
    const event = { hook_event_name: "PreToolUse", tool_name: "Bash", cwd, tool_input: { command }, actions };
    const defaults = { protectedPaths: [], workFolders: [], mode: "guarded", verdicts: {} };
    const reply = definition.handle(event, { config: { ...defaults, ...config } });
    return { decision: reply?.kind ?? "pass", reason: reply?.value ?? "" };
  };
  const faults = [];
  for (const [pack, categories] of Object.entries(PACKS)) {
    for (const [name, { decision, instead, rules = [], denied, passed }] of Object.entries(categories)) {
      const fault = (text) => faults.push(`${pack}: ${name}: ${text}`);
      const isOff = decision === "pass";
      const config = isOff ? { verdicts: { [name]: "ask" } } : {};
      fired.clear();
      for (const command of denied) {
        const found = judge(command, config);
        if (found.decision !== (isOff ? "ask" : decision)) fault(`${found.decision} for: ${command} ${found.reason}`);
        else if (name !== "unreadable" && name !== "too-long" && !found.reason.includes(`[${name},`))
          fault(`${found.reason} for: ${command}`);
        // Without a denial, all rules are tried.
        judge(command, { mode: "strict" });
      }
      for (const rule of rules) {
        const [, text] = splitPrograms(rule);
        if (!fired.has(text)) fault(`no example fires the rule: ${rule}`);
      }
      for (const command of [...passed, instead]) {
        const found = judge(command, config);
        if (found.decision !== "pass") fault(`${found.decision} for the harmless: ${command}: ${found.reason}`);
      }
    }
  }
  return faults;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const faults = await faultsOfRules();
  console.log(faults.join("\n"));
  process.exitCode = faults.length > 0 ? 1 : 0;
}
