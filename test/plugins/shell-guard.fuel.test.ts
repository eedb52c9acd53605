import { describe, expect, test } from "vitest";
import { callShellGuard } from "./shell-guard-verdict.ts";

const CHAIN = [
  "cd packages/api && npm ci && npm run build -- --mode production && npm test -- --coverage && git add -A",
  'git commit -m "Build the API and cover it with tests" && git push origin main',
  "docker build -t registry.example.com/team/api:latest . && docker push registry.example.com/team/api:latest",
].join(" && ");
const LINE = "A line of notes that is neither long nor short, as people write them.\n";
const HEREDOC = `cat > src/notes.md <<'EOF'\n${LINE.repeat(29)}EOF\n`;

// Fuel is exact: the same module and event cost the same everywhere. A change that makes one of these cheaper should
// lower its ceiling; one that makes it more expensive needs a reason.
const ceilings: readonly (readonly [name: string, command: string, fuel: number])[] = [
  ["a listing", "ls -la", 640_000],
  ["a git command that changes nothing", "git status", 775_000],
  ["two commands in a row", "npm test && git push", 1_150_000],
  ["a removal that is denied", "rm -rf /", 1_037_000],
  ["a removal of two directories of the project", "rm -rf node_modules dist", 1_710_000],
  ["a removal deep in a directory of the system", "rm -rf /var/lib/app/cache", 1_628_000],
  ["a chain of nine commands", CHAIN, 5_290_000],
  ["a here-document of two kilobytes", HEREDOC, 3_000_000],
];

function fuelOf(command: string): number {
  const event = {
    abi: 1,
    hook_event_name: "PreToolUse",
    dialect: "claude-code",
    tool_name: "Bash",
    cwd: "/home/me/project",
    tool_input: { command },
  };
  return callShellGuard(JSON.stringify(event)).fuel;
}

describe("the fuel for judging", () => {
  test.each(ceilings)("%s stays below its ceiling", (_name, command, ceiling) => {
    expect(fuelOf(command)).toBeLessThanOrEqual(ceiling);
  });

  test.each([
    ["commands", "npm run build -- --mode production && "],
    ["quotes", `echo "$HOME/x" 'a b' `],
    ["lines of a here-document", LINE],
    ["words", "word "],
    ["removals", "rm -rf build dist; "],
    ["directories", "cd packages; "],
    ["substitutions", "echo $(date) "],
    ["expansions", "${x:-y}"],
    ["braces", "{a,b} "],
    ["calls of a program", "os.remove(1); "],
    ["texts of a program", "'a', "],
    ["brackets of a program", "[(["],
    ["expressions in a program's text", "{a.b}"],
  ])("twice as many %s cost at most 2.2 times as much", (name, piece) => {
    const count = Math.floor(1_500 / piece.length);
    const prefix = name.includes("program")
      ? "python3 - <<'EOF'\nimport os; x = f'"
      : name.startsWith("lines")
        ? "cat > notes.md <<'EOF'\n"
        : "true ";
    const once = fuelOf(prefix + piece.repeat(count));
    const twice = fuelOf(prefix + piece.repeat(2 * count));
    expect(twice / once).toBeLessThanOrEqual(2.2);
  });
});
