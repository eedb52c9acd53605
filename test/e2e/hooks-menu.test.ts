import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { project } from "./cli.ts";
import { hasTerminals, hookboxOnTerminal } from "./terminal.ts";

const DOWN = "\u001b[B";
const ENTER = "\r";

const CONFIG = {
  hooks: {
    enabled: true,
    hooks: [
      { event: "pre-tool", command: "echo looked", description: "Look at the call", enabled: true },
      { event: "stop", command: "true", description: "Say that it is over", enabled: false },
    ],
  },
};

describe.skipIf(!hasTerminals)("hookbox hooks on a terminal (needs python3's pty)", () => {
  test("shows a menu, marks hooks that are off, switches a hook and exits", async () => {
    const place = project();
    const file = place.write("config.json", JSON.stringify(CONFIG, null, 2));
    const { exitCode, shown } = await hookboxOnTerminal(["hooks", "config.json"], {
      cwd: place.folder,
      steps: [
        ["Quit", `${DOWN}${DOWN}${ENTER}`],
        ["Say that it is over", `${DOWN}${ENTER}`],
        ["Quit", `${DOWN}${DOWN}${DOWN}${DOWN}${DOWN}${DOWN}${ENTER}`],
      ],
    });
    expect({ exitCode, shown }).toMatchObject({ exitCode: 0, shown: expect.stringContaining("[disabled] stop 1") });
    expect(shown).toContain("Enabled stop 1: true");
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ hooks: { hooks: [{}, { enabled: true }] } });
  });

  test("adds a hook, and changes nothing if the user cancels a question", async () => {
    const place = project();
    const file = place.write("config.json", JSON.stringify(CONFIG, null, 2));
    const { exitCode, shown } = await hookboxOnTerminal(["hooks", "-i", "config.json", "--format", "autohand"], {
      cwd: place.folder,
      steps: [
        ["Quit", `${DOWN}${ENTER}`],
        ["pre-tool", ENTER],
        ["Command", `echo added${ENTER}`],
        ["Matcher", ENTER],
        ["Added pre-tool 2: echo added", ""],
        ["Quit", `${DOWN}${DOWN}${DOWN}${ENTER}`],
        ["Select hook to remove", "\u0003"],
        ["Nothing was changed", ""],
        ["Quit", "\u0003"],
      ],
    });
    expect({ exitCode, shown }).toMatchObject({ exitCode: 0, shown: expect.stringContaining("Nothing was changed") });
    const { hooks } = JSON.parse(readFileSync(file, "utf8")) as typeof CONFIG;
    expect(hooks.hooks).toHaveLength(3);
    expect(hooks.hooks[2]).toEqual({ event: "pre-tool", command: "echo added", enabled: true });
  });
});
