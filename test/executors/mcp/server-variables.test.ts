import { describe, expect, test } from "vitest";
import { fillVariables } from "../../../src/executors/mcp/server-variables.ts";

const VARIABLES = { TOKEN: "t0k", EMPTY: "", NESTED: "${TOKEN}" };
const header = (text: string) =>
  fillVariables({ kind: "http", url: "https://a.example/", headers: { A: text }, network: "public" }, VARIABLES);

describe("a text that names variables", () => {
  test.each([
    ["Bearer ${TOKEN}", "Bearer t0k"],
    ["${TOKEN}${TOKEN}", "t0kt0k"],
    ["${TOKEN:-none}", "t0k"],
    ["${NOBODY:-none}", "none"],
    ["${NOBODY:-}", ""],
    ["${EMPTY}", ""],
    ["${EMPTY:-none}", "none"],
    // What a variable says is not read again.
    ["${NESTED}", "${TOKEN}"],
    ["$TOKEN ${} ${1} ${a-b}", "$TOKEN ${} ${1} ${a-b}"],
  ])("%s is %s", (text, filled) => {
    expect(header(text)).toMatchObject({ ok: true, server: { headers: { A: filled } } });
  });

  test("fails by the name of one that is not set", () => {
    expect(header("${TOKEN} ${NOBODY}")).toEqual({ ok: false, missing: "NOBODY" });
  });

  test("may be any of a server that is a process, but for its folder", () => {
    const server = {
      kind: "stdio" as const,
      ...{ command: "${TOKEN}/bin", args: ["${TOKEN}"], env: { KEY: "${TOKEN}" }, workingDir: "/${TOKEN}" },
    };
    expect(fillVariables(server, VARIABLES)).toEqual({
      ok: true,
      server: { ...server, command: "t0k/bin", args: ["t0k"], env: { KEY: "t0k" } },
    });
  });

  test("may be the address of one that is none", () => {
    const server = { kind: "http" as const, url: "https://${TOKEN}.example/", headers: {}, network: "public" as const };
    expect(fillVariables(server, VARIABLES)).toMatchObject({ server: { url: "https://t0k.example/" } });
  });
});
