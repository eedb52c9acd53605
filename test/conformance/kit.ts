import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ModelFunction } from "../../src/models/model.ts";
import { MCP_SERVER } from "../helpers/mcp-server.ts";
import type { JsonObject, Kit, Repository, ServerAnswer } from "./case.ts";
import type { RunCounts } from "./run-counts.ts";
import type { Servers } from "./servers.ts";

/** Creates what the hooks of one case are and ask: scripts, servers, models and repositories, all of them real. */

interface MadeKit {
  readonly kit: Kit;
  /** The settings of a `hookbox.json` with the servers and models that the hooks ask; empty if they ask none. */
  readonly settings: JsonObject;
}

export function makeKit(
  folder: string,
  counts: RunCounts,
  servers: Servers,
  models: Map<string, ModelFunction>,
): MadeKit {
  const settings: Record<string, Record<string, JsonObject>> = {};
  const settle = (key: string, name: string, value: JsonObject): void => {
    settings[key] = { ...settings[key], [name]: value };
  };
  let repository: Repository | undefined;
  const kit: Kit = {
    folder,
    script(name, text) {
      const file = join(folder, `${name}.sh`);
      writeFileSync(file, `echo '${name}' >>'${counts.file}'\n${text}\n`);
      // Read by the shell that runs anyway, without a second process.
      return `. '${file}'`;
    },
    server(name, answer) {
      return servers.hooks.add((request): ServerAnswer => {
        counts.add(name);
        return typeof answer === "function" ? answer(request) : answer;
      });
    },
    model(name, answer) {
      models.set(name, async (request, context) => {
        counts.add(name);
        return typeof answer === "function" ? answer(request, context) : answer;
      });
      return `stub/${name}`;
    },
    stubModel(provider, answer, more = {}) {
      const url = servers.addModel((request) => {
        counts.add(provider);
        return typeof answer === "function" ? answer(request) : answer;
      });
      const type = provider === "anthropic" ? "anthropic" : "openai";
      const baseUrl = (more["type"] ?? type) === "anthropic" ? url : `${url}/v1`;
      settle("modelProviders", provider, { type, baseUrl, apiKeyEnv: null, ...more });
      return `${provider}/small`;
    },
    mcp(name, mode = "") {
      const env = { LOG: counts.file, NAME: name, MODE: mode };
      settle("mcpServers", name, { command: process.execPath, args: [MCP_SERVER], env });
      return name;
    },
    httpMcp(name) {
      settle("mcpServers", name, { type: "http", url: servers.tools.url });
      return name;
    },
    repository(files = { "a.txt": "one\n" }) {
      repository ??= makeRepository(join(folder, "repository"), files);
      return repository;
    },
    file(name, text) {
      const file = join(folder, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      return file;
    },
    function(name, run) {
      return (event, context) => {
        counts.add(name);
        return run(event, context);
      };
    },
  };
  return { kit, settings };
}

const WHO = ["-c", "user.name=Nobody", "-c", "user.email=nobody@example.com", "-c", "commit.gpgsign=false"];

function makeRepository(top: string, files: Readonly<Record<string, string>>): Repository {
  const env = { PATH: process.env["PATH"], HOME: top, GIT_CONFIG_NOSYSTEM: "1" };
  const repository: Repository = {
    top,
    git: (...args) =>
      execFileSync("git", [...WHO, ...args], { cwd: top, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }),
    write: (path, text) => {
      mkdirSync(dirname(join(top, path)), { recursive: true });
      writeFileSync(join(top, path), text);
    },
  };
  if (existsSync(top)) throw new Error(`${top} is there already`);
  mkdirSync(top);
  for (const [path, text] of Object.entries(files)) repository.write(path, text);
  const commit = `git ${WHO.join(" ")} commit --quiet -m begin`;
  // One child process, because each start copies this large process.
  execFileSync("sh", ["-c", `git init --quiet --initial-branch=main && git add -A && ${commit}`], { cwd: top, env });
  return repository;
}
