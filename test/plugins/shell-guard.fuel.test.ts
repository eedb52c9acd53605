import { beforeAll, describe, expect, test } from "vitest";
import { GuestInstance } from "../../src/executors/wasm/guest-instance.ts";
import type { GuestModule } from "../../src/executors/wasm/protocol.ts";
import { admitted } from "../executors/wasm/admission-terms.ts";
import { hostFunctions } from "./bare-host.ts";
import { guardBytes } from "./shell-guard-verdict.ts";

const FUEL = 100_000_000;
const CHAIN = [
  "cd packages/api && npm ci && npm run build -- --mode production && npm test -- --coverage && git add -A",
  'git commit -m "Build the API and cover it with tests" && git push origin main',
  "docker build -t registry.example.com/team/api:latest . && docker push registry.example.com/team/api:latest",
].join(" && ");
const LINE = "A line of notes that is neither long nor short, as people write them.\n";
const HEREDOC = `cat > src/notes.md <<'EOF'\n${LINE.repeat(29)}EOF\n`;

// Fuel is exact: the same module and event cost the same everywhere. A change that makes one of these cheaper should
// lower its ceiling; one that makes it dearer needs a reason.
const ceilings: readonly (readonly [name: string, command: string, fuel: number])[] = [
  ["a listing", "ls -la", 27_114],
  ["a git command that changes nothing", "git status", 28_987],
  ["two commands in a row", "npm test && git push", 40_177],
  ["a removal that is denied", "rm -rf /", 43_316],
  ["a removal of two directories of the project", "rm -rf node_modules dist", 55_882],
  ["a removal deep in a directory of the system", "rm -rf /var/lib/app/cache", 65_414],
  ["a chain of nine commands", CHAIN, 168_479],
  ["a here-document of two kilobytes", HEREDOC, 180_819],
];

interface Cost {
  readonly fuel: number;
  readonly memoryBytes: number | undefined;
}

let guard: GuestModule;

beforeAll(async () => {
  guard = (await admitted(Uint8Array.from(guardBytes))).module;
});

function judge(command: string): Cost {
  const event = {
    abi: 1,
    hook_event_name: "PreToolUse",
    dialect: "claude-code",
    tool_name: "Bash",
    cwd: "/home/me/project",
    tool_input: { command },
  };
  const input = new TextEncoder().encode(JSON.stringify(event));
  const imports = { "extism:host/env": hostFunctions(input, {}, { logs: [] }) };
  const guest = new GuestInstance(new WebAssembly.Instance(guard.compiled, imports), guard.state);
  guest.fill(FUEL, 262_144);
  expect((guest.exports["handle"] as () => number)()).toBe(0);
  return { fuel: guest.fuelUsed, memoryBytes: guest.memory?.buffer.byteLength };
}

describe("what it costs to judge", () => {
  test.each(ceilings)("%s stays below its ceiling", (_name, command, ceiling) => {
    expect(judge(command).fuel).toBeLessThanOrEqual(ceiling);
  });

  test.each(ceilings)("%s does not make the memory grow, so the instance can be used again", (_name, command) => {
    expect(judge(command).memoryBytes).toBe(65_536);
  });

  test("a command costs the same each time", () => {
    expect(judge(CHAIN)).toEqual(judge(CHAIN));
  });
});
