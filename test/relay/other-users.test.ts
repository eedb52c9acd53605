import { spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { accountOf, approveFor, trustFolder } from "../e2e/approve.ts";
import { hookbox, ownFolders } from "../e2e/cli.ts";
import { makeFolder } from "../helpers/folders.ts";
import { NODE, payload, RELAYS, relay, serve, socketFolder } from "./relays.ts";

/** What another user of the machine tries with the socket, the token, the state and the paths of hookbox. */

const NOBODY = 65_534;
const AS_NOBODY = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];
const canBeNobody = spawnSync(AS_NOBODY[0] ?? "", [...AS_NOBODY.slice(1), "true"]).status === 0;

const SHELL_GUARD = JSON.stringify({
  hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "wasm", module: "builtin:shell-guard" }] }] },
});
const BY_GUARD = '"permissionDecisionReason":"shell-guard: ';
const ASKED = ["--event", "PreToolUse", "--patience", "5", "--node", NODE];

/** Runs JavaScript as another user. Returns the code of the error that it throws, or its output. */
function asOther(script: string): string {
  const [file = "", ...first] = AS_NOBODY;
  const whole = `try { ${script} } catch (error) { console.log(error.code) }`;
  const { stdout, stderr } = spawnSync(file, [...first, NODE, "-e", whole], { encoding: "utf8", cwd: "/" });
  return `${stdout}${stderr}`.trim();
}

/** Starts a server of another user that lets every call pass, in the form of hookbox. Resolves when it listens. */
async function otherServer(socket: string): Promise<void> {
  const [file = "", ...first] = AS_NOBODY;
  const script = `process.umask(0); require("net").createServer((one) => { one.on("error", () => {}); one.once("data", () =>
    one.end("HTTP/1.1 200 OK\\r\\nHookbox-Reply: 1 0 0 0\\r\\nContent-Length: 0\\r\\n\\r\\n")); }).listen(${JSON.stringify(socket)}, () => console.log("listens"))`;
  const child = spawn(file, [...first, NODE, "-e", script], { cwd: "/", stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await new Promise((listens) => child.stdout.once("data", listens));
}

/** A folder of another user. */
function otherFolder(mode: number): string {
  const folder = socketFolder();
  chownSync(folder, NOBODY, NOBODY);
  chmodSync(folder, mode);
  return folder;
}

async function served() {
  const folder = socketFolder();
  const socket = join(folder, "s");
  const cwd = makeFolder({ "hookbox.json": SHELL_GUARD });
  const server = await serve(socket, ["--http"]);
  const { url, token } = JSON.parse(readFileSync(join(folder, "http.json"), "utf8")) as Record<string, string>;
  const [ask = []] = Object.values(RELAYS);
  const judged = async (): Promise<string> => (await relay(ask, socket, { cwd, stdin: payload("rm -rf /") })).stdout;
  return { folder, socket, server, port: Number(new URL(url ?? "").port), token, judged };
}

describe.skipIf(!canBeNobody)("another user cannot", { timeout: 60_000 }, () => {
  test("connect to the socket", async () => {
    const { socket } = await served();
    const script = `require("net").connect(${JSON.stringify(socket)}).on("error", (e) => console.log(e.code))`;
    expect(asOther(script)).toBe("EACCES");
  });

  test("read the token, the log or the state", async () => {
    const { folder } = await served();
    for (const name of ["http.json", "s.log", "disabled.json"])
      expect(asOther(`require("fs").readFileSync(${JSON.stringify(join(folder, name))})`), name).toBe("EACCES");
    expect(asOther(`require("fs").readdirSync(${JSON.stringify(folder)})`)).toBe("EACCES");
  });

  test("ask over loopback HTTP without the token, and each try is counted", async () => {
    const { port, socket } = await served();
    for (const [path, method] of [
      ["/v1/hooks/claude-code", "POST"],
      ["/v1/stop", "POST"],
      ["/health", "GET"],
      ["/metrics", "GET"],
    ]) {
      const script = `require("http").request({ port: ${port}, host: "127.0.0.1", path: "${path}", method: "${method}",
        headers: { "Content-Type": "application/json", Authorization: "Bearer ${"0".repeat(32)}" } }, (r) => console.log(r.statusCode)).end()`;
      expect(asOther(script), path).toBe("401");
    }
    const { stdout } = await hookbox(["serve", "--status", "--socket", socket]);
    expect(JSON.parse(stdout).requests_refused).toEqual({ token: 4 });
  });

  test("end or stop the server's process", async () => {
    const { server, judged } = await served();
    for (const signal of ["SIGTERM", "SIGSTOP", "SIGKILL"])
      expect(asOther(`process.kill(${server.pid}, "${signal}")`)).toBe("EPERM");
    expect(await judged()).toContain(BY_GUARD);
  });

  test("replace the socket, the token or their folder", async () => {
    const { folder, socket, judged } = await served();
    const tries = [
      `unlinkSync(${JSON.stringify(socket)})`,
      `renameSync("/etc/hostname", ${JSON.stringify(socket)})`,
      `writeFileSync(${JSON.stringify(join(folder, "http.json"))}, "{}")`,
      `writeFileSync(${JSON.stringify(join(folder, "disabled.json"))}, "{}")`,
      `renameSync(${JSON.stringify(folder)}, ${JSON.stringify(join(tmpdir(), "hb-away"))})`,
      `rmSync(${JSON.stringify(folder)}, { recursive: true })`,
      `chmodSync(${JSON.stringify(folder)}, 0o777)`,
    ];
    for (const one of tries) expect(asOther(`require("fs").${one}`), one).toMatch(/^(EACCES|EPERM)$/);
    expect(await judged()).toContain(BY_GUARD);
  });
});

describe.skipIf(!canBeNobody).each(Object.entries(RELAYS))(
  "the %s relay refuses",
  { timeout: 120_000 },
  (_name, command) => {
    test.each([
      ["closed", 0o700],
      ["open", 0o777],
    ])("a server of another user in that user's folder, which is %s", async (_what, mode) => {
      const folder = otherFolder(mode);
      const socket = join(folder, "s");
      await otherServer(socket);
      const { exitCode, stderr } = await relay(command, socket, { args: ASKED });
      expect(exitCode).toBe(2);
      expect(stderr).toMatch(/HOOK_RELAY_SOCKET|HOOK_STATE/);
    });

    test("a socket that another user has put into an open folder of the user, and starts no server there", async () => {
      const folder = socketFolder();
      chmodSync(folder, 0o777);
      const socket = join(folder, "s");
      await otherServer(socket);
      const { exitCode, stderr } = await relay(command, socket, { args: ASKED });
      expect(exitCode).toBe(2);
      expect(stderr).toMatch(/HOOK_RELAY_SOCKET|HOOK_STATE/);
      expect(readdirSync(folder)).toEqual(["s"]);
    });

    test("a folder that another user has created before, and writes nothing into it", async () => {
      for (const mode of [0o700, 0o755, 0o777]) {
        const folder = otherFolder(mode);
        const { exitCode, stderr } = await relay(command, join(folder, "s"), { args: ASKED });
        expect(exitCode).toBe(2);
        expect(stderr).toMatch(/HOOK_RELAY_SOCKET|HOOK_STATE/);
        expect(readdirSync(folder)).toEqual([]);
      }
    });

    test("a link that another user has put where the folder is expected", async () => {
      const own = socketFolder();
      const link = `${own}-link`;
      expect(asOther(`require("fs").symlinkSync(${JSON.stringify(own)}, ${JSON.stringify(link)})`)).toBe("");
      onTestFinished(() => rmSync(link, { force: true }));
      const { exitCode, stderr } = await relay(command, join(link, "s"), { args: ASKED });
      expect(exitCode).toBe(2);
      expect(stderr).toMatch(/HOOK_RELAY_SOCKET|HOOK_STATE/);
      expect(readdirSync(own)).toEqual([]);
    });
  },
);

describe.skipIf(!canBeNobody)("hookbox uses no folder of another user", { timeout: 60_000 }, () => {
  test.each(["700", "755", "777"])("for its server, with mode %s", async (mode) => {
    const folder = otherFolder(Number.parseInt(mode, 8));
    const { exitCode, stderr } = await hookbox(["serve", "--socket", join(folder, "s")]);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/belongs to another user/)]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("for the record of hookbox disable", async () => {
    const cwd = makeFolder({ "hookbox.json": SHELL_GUARD });
    const state = otherFolder(0o755);
    const folder = join(state, "hookbox");
    mkdirSync(folder, { mode: 0o700 });
    const file = join(folder, "disabled.json");
    const at = (ms: number): string => new Date(Date.now() + ms).toISOString();
    writeFileSync(file, "", { mode: 0o600 });
    const { dev, ino } = lstatSync(file);
    const record = { since: at(-1_000), until: at(600_000), by: "x", terminal: "x", inode: `${dev}:${ino}` };
    writeFileSync(file, JSON.stringify(record));
    const run = () => hookbox(["run"], { cwd, stdin: payload("rm -rf /"), env: { XDG_STATE_HOME: state } });
    // The record counts while it belongs to the user.
    expect((await run()).stdout).not.toContain(BY_GUARD);
    for (const path of [file, folder]) {
      chownSync(path, NOBODY, NOBODY);
      expect((await run()).stdout, path).toContain(BY_GUARD);
    }
  });

  test("for approvals", async () => {
    const hooks = { PreToolUse: [{ hooks: [{ type: "command", command: "echo of-the-project >&2; exit 2" }] }] };
    const cwd = makeFolder({ "hookbox.json": JSON.stringify({ hooks }) });
    const home = makeFolder({});
    await approveFor(["run"], home, { cwd, env: ownFolders() });
    const run = () => hookbox(["run"], { cwd, stdin: payload("ls"), env: accountOf(home), approves: false });
    expect((await run()).stdout).toContain("of-the-project");
    chownSync(trustFolder(home), NOBODY, NOBODY);
    expect((await run()).stdout).not.toContain("of-the-project");
  });
});
