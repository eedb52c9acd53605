import { beforeAll, describe, expect, test } from "vitest";
import { CLIENTS_RUN, type ClientRun, READINGS, REASON } from "../dialects/reply-table.ts";
import { ask, clientNamed, type ReadyClient } from "./ask-client.ts";
import { prints as printed } from "./claude-code/calls.ts";

/** How real clients treat a hook's output, without hookbox: the reasons for hookbox's replies. */

const only = process.env["HOOKBOX_TEST_CLIENTS"]?.split(",");
const names = (Object.keys(CLIENTS_RUN) as ClientRun[]).filter((name) => only?.includes(name) ?? true);

describe.each(names)("%s", (name) => {
  let client: ReadyClient;
  beforeAll(async () => {
    client = await clientNamed(name);
  });

  test.for(READINGS)("treats $what, with exit code $exitCode, as the table says", async (reading, { skip }) => {
    if ("missing" in client) return skip(client.missing);
    const { prints, exitCode, refused } = reading;
    const says = prints === null ? "" : `${printed(prints)}; `;
    const hook = `cat >/dev/null; ${says}${exitCode === 2 ? `echo '${REASON}' >&2; exit 2` : "true"}`;
    const asked = await ask(client, hook);
    expect(asked.asked).toBe(true);
    expect([reading.what, !asked.has("ran")]).toEqual([reading.what, refused[name]]);
  });
});
