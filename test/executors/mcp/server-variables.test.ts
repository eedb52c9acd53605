import { describe, expect, test } from "vitest";
import { fillServer } from "../../../src/executors/mcp/server-variables.ts";
import type { McpServer } from "../../../src/rule.ts";

const environment = { TOKEN: "t0ps3cret", ROOT: "/srv", ODD: "${TOKEN}", EMPTY: "", BROKEN: "a\r\nb" };

const stdio = (parts: Partial<Extract<McpServer, { kind: "stdio" }>>): McpServer => ({
  kind: "stdio",
  command: "server",
  args: [],
  env: {},
  workingDir: "/",
  ...parts,
});
const http = (url: string, headers: Record<string, string> = {}): McpServer => ({
  kind: "http",
  url,
  headers,
  network: "public",
});

describe("a server's configuration", () => {
  test("is filled from the environment once", () => {
    const written = stdio({
      command: "${ROOT}/bin/server",
      args: ["--root=${ROOT}", "${ODD}", "$ROOT", "${PORT:-80}${EMPTY:-:}${EMPTY}", "${constructor:-none}"],
      env: { KEY: "${TOKEN}", "${ROOT}": "" },
    });
    expect(fillServer(written, environment)).toEqual({
      ok: true,
      server: stdio({
        command: "/srv/bin/server",
        args: ["--root=/srv", "${TOKEN}", "$ROOT", "80:", "none"],
        env: { KEY: "t0ps3cret", "${ROOT}": "" },
      }),
    });
    expect(fillServer(http("https://example.org${ROOT}", { authorization: "Bearer ${TOKEN}" }), environment)).toEqual({
      ok: true,
      server: http("https://example.org/srv", { authorization: "Bearer t0ps3cret" }),
    });
  });

  test.each([
    ["a variable that is not set", stdio({ args: ["${NONE}", "${LESS}"] }), "the variable NONE is not set"],
    ["no address", http("nonsense"), "its address is no URL"],
    ["a value no header can have", http("https://a.example", { key: "${BROKEN}" }), 'the header "key" cannot be sent'],
    ["a name no header can have", http("https://a.example", { "a b": "" }), 'the header "a b" cannot be sent'],
  ])("cannot be used with %s, and the message contains no value", (_, written, reason) => {
    expect(fillServer(written, environment)).toEqual({ ok: false, reason });
  });
});
