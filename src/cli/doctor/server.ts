import { existsSync } from "node:fs";
import { request } from "node:http";
import { dirname, resolve } from "node:path";
import { describeThrown } from "../../errors.ts";
import { isJsonObject, type JsonObject, parseJsonObject } from "../../json.ts";
import { packageInfo } from "../../package-info.ts";
import { isPrivateFolder } from "../../state/private-folder.ts";
import { clockTime } from "../off/off-now.ts";
import { defaultSocket } from "../serve/socket-file.ts";
import { type Check, checksOf } from "./check.ts";
import { type AgentSettings, optionOf } from "./entries.ts";

const { ok, warning, problem } = checksOf("server");
const WAIT_MS = 5_000;

/** Checks the sockets that entries name. Without entries, checks the default one. */
export async function checkServers(all: readonly AgentSettings[]): Promise<readonly Check[]> {
  const named = all.flatMap(({ entries }) => entries.flatMap((entry) => optionOf(entry, "--socket") ?? []));
  const sockets = named.length === 0 ? [defaultSocket()] : [...new Set(named)];
  return (await Promise.all(sockets.map(checkServer))).flat();
}

async function checkServer(socket: string): Promise<readonly Check[]> {
  try {
    const folder = dirname(resolve(socket));
    if (!isPrivateFolder(folder) && !existsSync(dirname(folder)))
      return [
        problem(
          "socket",
          `the folder ${folder} of the socket does not exist, and a relay cannot create it`,
          `mkdir -p -m 700 ${folder}`,
        ),
      ];
  } catch (error) {
    return [problem("socket", describeThrown(error), "only you may enter the folder of the socket")];
  }
  const health = await healthOf(socket);
  if (health === "none") return [ok("server", `no server runs at ${socket}; the next call starts one`)];
  if (typeof health === "string")
    return [
      problem(
        "server",
        `what answers at ${socket} is no healthy server: ${health}`,
        `end that process, and remove ${socket}`,
      ),
    ];
  const { hookbox, pid, uptime_seconds: uptime, projects, off } = health;
  const about = `at ${socket}: process ${pid}, for ${uptime} s`;
  const version = packageInfo().version;
  const running =
    hookbox === version
      ? ok("server", `version ${version} runs ${about}`)
      : warning(
          "version",
          `version ${hookbox} runs ${about}; this is ${version}`,
          "the next call of this version replaces it",
        );
  return [running, ...offOf(off), ...pendingIn(projects)];
}

function offOf(off: unknown): readonly Check[] {
  if (!isJsonObject(off)) return [];
  const until = off["until"];
  return [
    problem(
      "off",
      `the server lets all calls pass${typeof until === "string" ? ` until ${clockTime(until)}` : ""}`,
      "hookbox enable",
    ),
  ];
}

function pendingIn(projects: unknown): readonly Check[] {
  const all = Array.isArray(projects) ? projects.filter(isJsonObject) : [];
  return all.flatMap(({ cwd, pending, problems }) => [
    ...(typeof pending === "string"
      ? [
          warning(
            "pending",
            `${cwd}: the rules in force are older than the files: ${pending}`,
            "correct the files: hookbox check",
          ),
        ]
      : []),
    ...(Array.isArray(problems) && problems.length > 0
      ? [warning("problems", `${cwd}: ${problems.length} problems, the first: ${problems[0]}`)]
      : []),
  ]);
}

/** Returns the health of the server at a socket, `none` if no server listens, or why the answer is none. */
export function healthOf(socketPath: string): Promise<JsonObject | string> {
  return new Promise((done) => {
    const asked = request({ socketPath, path: "/health", timeout: WAIT_MS, agent: false }, async (response) => {
      try {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk as Buffer);
        const health = parseJsonObject(Buffer.concat(chunks).toString());
        done(typeof health?.["hookbox"] === "string" ? health : "its answer is not that of hookbox");
      } catch (error) {
        done(describeThrown(error));
      }
    });
    asked.on("timeout", () => asked.destroy(new Error(`no answer within ${WAIT_MS / 1_000} s`)));
    asked.on("error", ({ code, message }: NodeJS.ErrnoException) =>
      done(code === "ENOENT" || code === "ECONNREFUSED" ? "none" : message),
    );
    asked.end();
  });
}
