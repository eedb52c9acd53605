import { describe, expect, test } from "vitest";
import { folderThatCounts, identityOf } from "../../src/dialects/hook-identity.ts";
import type { Layer } from "../../src/layer-trust.ts";
import { RuleIndex } from "../../src/matcher/rule-index.ts";
import { parse } from "../dialects/parse.ts";
import { bashEvent, makeRule } from "../helpers/rules.ts";

describe("rules with the same identity", () => {
  const rule = (name: string, identity?: string, matcher?: string) =>
    makeRule({ name, id: name, matcher, ...(identity === undefined ? {} : { identity }) });
  const names = (...rules: ReturnType<typeof rule>[]) =>
    new RuleIndex(rules).select(bashEvent("ls")).map(({ name }) => name);

  test("run once for an event, in the place of the first", () => {
    expect(names(rule("a", "1"), rule("b", "2"), rule("c", "1"), rule("d"), rule("e"))).toEqual(["a", "b", "d", "e"]);
  });

  test("are represented by the most trusted layer's rule, in the place of the first", () => {
    const of = (name: string, layer: "user" | "project") => ({ ...rule(name, "1"), layer });
    expect(names(of("theirs", "project"), rule("b", "2"), of("mine", "user"))).toEqual(["mine", "b"]);
    expect(names(of("mine", "user"), rule("b", "2"), of("theirs", "project"))).toEqual(["mine", "b"]);
  });

  test("of a project, which may have come with a repository, never replace another layer's", () => {
    const of = (name: string, layer: Layer) => ({ ...rule(name, "1"), layer });
    for (const layer of ["user", "managed", "session", "command-line"] as const)
      expect(names(of("theirs", "project"), rule("b", "2"), of("mine", layer))).toEqual(["mine", "b"]);
  });

  test("are compared only if they match", () => {
    expect(names(rule("a", "1", "Write"), rule("b", "2"), rule("c", "1", "Bash"), rule("d", "1"))).toEqual(["b", "c"]);
  });

  test("run once again for each event", () => {
    const index = new RuleIndex([rule("a", "1"), rule("b", "1")]);
    for (let time = 0; time < 2; time++) expect(index.select(bashEvent("ls"))).toHaveLength(1);
    expect(index.rules).toHaveLength(2);
  });
});

describe("the identity of a configured hook", () => {
  test.each([
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    [{ a: 1 }, { a: 1, args: [], env: {}, none: null }],
    [{ env: { A: "1", B: "2" } }, { env: { B: "2", A: "1" } }],
  ])("is the same for %j and %j", (one, other) => {
    expect(identityOf(one)).toBe(identityOf(other));
  });

  test.each([
    [{ args: ["a", "b"] }, { args: ["b", "a"] }],
    [{ args: ["a,b"] }, { args: ["a", "b"] }],
    [{ args: [""] }, {}],
    [{ env: { A: "" } }, {}],
    [{ timeout: 60 }, {}],
    [{ once: false }, {}],
    [{ command: "1" }, { command: 1 }],
    [{ "1": "a" }, ["a"]],
    [JSON.parse('{"__proto__": "a"}'), {}],
  ])("differs for %j and %j", (one, other) => {
    expect(identityOf(one)).not.toBe(identityOf(other));
  });
});

describe("a hook that is configured twice", () => {
  const hooks = { hooks: { Stop: [{ hooks: [{ type: "command", command: "a" }] }] } };
  const identity = async (format: "hookbox" | "claude-code", baseDir: string, hook: object = {}) => {
    const [group] = hooks.hooks.Stop;
    const config = { hooks: { Stop: [{ hooks: [{ ...group!.hooks[0], ...hook }] }] } };
    return (await parse(format, config, { baseDir })).rules[0]?.identity;
  };

  test("in two of Claude Code's settings files is one", async () => {
    expect(await identity("claude-code", "/one")).toBe(await identity("claude-code", "/two"));
  });

  test("in two folders of hookbox files names two programs", async () => {
    expect(await identity("hookbox", "/one")).toBe(await identity("hookbox", "/one"));
    expect(await identity("hookbox", "/one")).not.toBe(await identity("hookbox", "/two"));
  });

  test("in two of Claude Code's settings files is two if a folder determines the program", async () => {
    const ids = (hook: object) =>
      Promise.all(["/one", "/two"].map((baseDir) => identity("claude-code", baseDir, { args: ["x"], ...hook })));
    const [one, two] = await ids({ command: "./guard.sh" });
    expect(one).not.toBe(two);
    for (const command of ["/usr/bin/guard", "guard"]) {
      const [here, there] = await ids({ command });
      expect(here).toBe(there);
    }
  });

  test("is not the same as one of another dialect, or with another setting", async () => {
    expect(await identity("hookbox", "settings")).not.toBe(await identity("hookbox", "settings", { timeout: 60 }));
  });
});

describe("the folder of the identity", () => {
  test.each<[object, string | undefined]>([
    [{ command: "./guard.sh" }, undefined],
    [{ command: "./guard.sh", args: [] }, "/base"],
    [{ command: "bin/guard", args: ["a"] }, "/base"],
    [{ command: "guard", args: ["a"] }, undefined],
    [{ command: "/bin/guard", args: ["a"] }, undefined],
    [{ command: "a", workingDir: "./guards" }, "/base"],
    [{ command: "a", workingDir: "" }, undefined],
  ])("of %j is %s", (hook, folder) => {
    expect(folderThatCounts(hook, "/base")).toBe(folder);
  });
});
