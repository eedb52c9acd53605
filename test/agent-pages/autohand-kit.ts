import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { type AutohandHost, createAutohandHost } from "../../src/hosts/autohand/index.ts";
import type { JsonObject } from "../../src/json.ts";

/** A user's machine: a home with `~/.autohand`, a project, and test programs before the real ones on PATH. */

const FIXTURES = join(import.meta.dirname, "autohand");

export const fixture = (name: string): string => readFileSync(join(FIXTURES, name), "utf8");

interface Machine {
  readonly home: string;
  readonly project: string;
  /**
   * Writes `~/.autohand/config.json` with these hooks (texts of one or a list), and returns the agent that reads it.
   */
  agent(...hooks: readonly string[]): Promise<AutohandHost>;
  /** Returns the agent with this whole file. */
  agentWith(config: string): Promise<AutohandHost>;
  /** Writes a script in the folder of the built-in hooks. */
  installs(...scripts: readonly string[]): void;
  /** Writes a script into the project. */
  has(...scripts: readonly string[]): void;
  /** Creates a program that logs its arguments. */
  program(name: string, output?: string): void;
  /** Returns the arguments of each call of a program, or the lines of a file in the home. */
  lines(file: string): string[];
}

export function machine(): Machine {
  const root = mkdtempSync(join(tmpdir(), "hookbox-page-"));
  const [home, project, bin] = ["home", "project", "bin"].map((name) => join(root, name)) as [string, string, string];
  for (const folder of [join(home, ".autohand", "hooks"), project, bin]) mkdirSync(folder, { recursive: true });
  vi.stubEnv("HOME", home);
  vi.stubEnv("PATH", `${bin}:${process.env["PATH"]}`);
  const agents: AutohandHost[] = [];
  onTestFinished(async () => {
    for (const agent of agents) await agent.shutdown();
    vi.unstubAllEnvs();
    rmSync(root, { recursive: true, force: true });
  });
  const copy = (name: string, folder: string): void => {
    copyFileSync(join(FIXTURES, name), join(folder, name));
    chmodSync(join(folder, name), 0o755);
  };
  const agentWith = async (config: string): Promise<AutohandHost> => {
    const file = join(home, ".autohand", "config.json");
    writeFileSync(file, config);
    const files = [{ file, dialect: "autohand", layer: "user" as const }];
    const agent = await createAutohandHost({ configFiles: files, cwd: project, cacheDir: false, sessionId: "s" });
    agents.push(agent);
    return agent;
  };
  return {
    home,
    project,
    agentWith,
    agent: (...hooks) => {
      const listed = hooks.map((text) => text.trim().replace(/^\[([\s\S]*)\]$/, "$1"));
      return agentWith(`{ "hooks": { "hooks": [ ${listed.join(",")} ] } }`);
    },
    installs: (...scripts) => {
      for (const name of scripts) copy(name, join(home, ".autohand", "hooks"));
    },
    has: (...scripts) => {
      for (const name of scripts) copy(name, project);
    },
    program: (name, output = "") => {
      const log = join(home, ".autohand", name);
      writeFileSync(join(bin, name), `#!/bin/sh\necho "$*" >> '${log}'\nprintf '%s' '${output}'\n`);
      chmodSync(join(bin, name), 0o755);
    },
    lines: (file) => {
      const place = [join(home, ".autohand", file), join(project, file)].find((one) => existsSync(one));
      return place === undefined ? [] : readFileSync(place, "utf8").trimEnd().split("\n");
    },
  };
}

/** Starts a server on this machine that records the bodies of its requests. */
export async function listening(): Promise<{ readonly url: string; readonly bodies: JsonObject[] }> {
  const bodies: JsonObject[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (part: Buffer) => {
      text += part.toString();
    });
    request.on("end", () => {
      bodies.push(JSON.parse(text));
      response.end("ok");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, bodies };
}
