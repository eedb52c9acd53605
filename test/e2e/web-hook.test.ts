import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { httpServer, type TestServer } from "../net/servers.ts";
import { hookbox, project } from "./cli.ts";

let server: TestServer;
beforeAll(async () => {
  server = await httpServer((response) =>
    response.end('{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'),
  );
});
afterAll(() => server.close());

const event = JSON.stringify({
  hook_event_name: "PreToolUse",
  session_id: "s",
  tool_name: "Bash",
  tool_input: { command: "ls" },
});

test("a one-shot run asks a server on this machine if the user names the file, and not if the project brings it", async () => {
  const place = project();
  place.configure("PreToolUse", { type: "http", name: "web", url: `http://localhost:${server.port}/` });
  const named = await hookbox(["run", "--config", join(place.folder, "hookbox.json")], { stdin: event });
  expect(JSON.parse(named.stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "allow" } });
  expect(server.requests.length).toBe(1);

  const found = await hookbox(["run"], { stdin: event, cwd: place.folder });
  expect(JSON.parse(found.stdout)).toMatchObject({
    hookSpecificOutput: {
      permissionDecision: "deny",
      permissionDecisionReason: expect.stringContaining("put the hook into your own configuration"),
    },
  });
  expect(server.connections().made).toBe(1);
});
