import { describe, expect, test } from "vitest";
import { ToolAliases } from "../../src/dialects/tool-aliases.ts";

const aliases = new ToolAliases({
  shell: { tool: "Bash" },
  background: { tool: "Bash" },
  view: { tool: "Read" },
  Read: { tool: "Glob" },
});

describe("the names of a tool", () => {
  test("are all of them, the canonical one first, for any of them", () => {
    for (const name of ["Bash", "shell", "background"]) {
      expect(aliases.spellings(name)).toEqual(["Bash", "shell", "background"]);
    }
    expect(aliases.spellings("view")).toEqual(["Read", "view"]);
  });

  test("for a word that is one tool's own name and another's canonical name are those that the agent means", () => {
    expect(aliases.spellings("Read")).toEqual(["Glob", "Read"]);
  });

  test("are none if the agent has no other name for it", () => {
    expect(aliases.spellings("WebSearch")).toEqual([]);
    expect(aliases.spellings("constructor")).toEqual([]);
  });

  test("are computed once and not at each event", () => {
    expect(aliases.spellings("Bash")).toBe(aliases.spellings("shell"));
    expect(aliases.spellings("WebSearch")).toBe(aliases.spellings("TodoWrite"));
  });
});
