import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type AutohandHost, type AutohandHostOptions, createAutohandHost } from "../../../src/hosts/autohand/index.ts";
import type { JsonObject } from "../../../src/json.ts";

/** An agent with these hooks in its config.json, and the notifications to its listeners. */
interface Hosted {
  readonly folder: string;
  readonly host: AutohandHost;
  readonly notifications: JsonObject[];
  /** Returns `method params` of each notification, without the timestamps. */
  heard(): (readonly [method: string, params: JsonObject])[];
  read(name: string): string | undefined;
}

export const NOW = new Date("2026-08-01T10:00:00.000Z");

export async function hosted(
  hooks: readonly JsonObject[],
  options: AutohandHostOptions = {},
  section: JsonObject = {},
): Promise<Hosted> {
  const folder = mkdtempSync(join(tmpdir(), "hookbox-autohand-"));
  writeFileSync(join(folder, "config.json"), JSON.stringify({ hooks: { ...section, hooks: [...hooks] } }));
  const notifications: JsonObject[] = [];
  const host = await createAutohandHost({
    configFiles: [{ file: join(folder, "config.json"), dialect: "autohand", layer: "user" }],
    cwd: folder,
    cacheDir: false,
    sessionId: "s1",
    now: () => NOW,
    onNotification: (notification) => void notifications.push(notification),
    ...options,
  });
  onTestFinished(async () => {
    await host.shutdown();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    folder,
    host,
    notifications,
    heard: () =>
      notifications.map(({ method, params }) => {
        const { timestamp: _, ...rest } = params as JsonObject;
        return [String(method), rest];
      }),
    read: (name) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : undefined),
  };
}
