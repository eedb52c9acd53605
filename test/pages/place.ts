import { spawn } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { withCustomSection } from "../../src/authoring/custom-section.ts";
import { MANIFEST_SECTION } from "../../src/sandbox/guest/guest-abi.ts";
import { accountOf } from "../e2e/approve.ts";
import { accountHome, approvedAccount, MAIN } from "../e2e/cli.ts";
import { inProcess } from "../e2e/in-process.ts";
import { INSTALL, installInto } from "../e2e/newcomer.ts";
import { wat } from "../helpers/guests.ts";
import { RUNS_ALL } from "../helpers/tier.ts";
import { ROOT } from "./blocks.ts";

/** The folder in which a page's commands run, and its files are written. */

const GIVEN = join(ROOT, "test/fixtures/pages");

/** The folder's name in outputs on the pages. */
const SHOWN = "/tmp/project";

interface Ran {
  readonly exitCode: number | null;
  /** Standard output, then standard error. */
  readonly output: string;
}

/** A busy machine misses a rule's deadline; the page's reader would repeat the command. */
const IS_LATE = /timeout: no answer within/;
const MAX_TRIES = 20;

/** The results on the pages do not depend on them. */
export const KEYS = { ANTHROPIC_API_KEY: "none", OPENAI_API_KEY: "none" };

/** A command of hookbox that needs neither a separate process nor a shell. */
const SIMPLE = /^(?:echo '([^']*)' +\| )?(?:npx )?hookbox (?!demo)([^|&;<>'"~$]+?)(?: < (\S+))?$/;

export class Place {
  readonly #home = realpathSync(mkdtempSync(join(tmpdir(), "hookbox-page-")));
  readonly folder = join(this.#home, "project");
  readonly #programs = join(this.#home, "programs");
  #cwd = this.folder;

  /** @param given the folder of `test/fixtures/pages/` with the files that the page's reader already has; need not exist. */
  constructor(given: string) {
    mkdirSync(this.folder);
    mkdirSync(this.#programs);
    this.#program("hookbox", `exec "${process.execPath}" "${MAIN}" "$@"`);
    // Starting npm takes as long as the command. test/e2e/package.test.ts runs npm's.
    this.#program(
      "npx",
      'program=$1; shift\n[ -e "node_modules/.bin/$program" ] && program=./node_modules/.bin/$program\nexec "$program" "$@"',
    );
    if (existsSync(join(GIVEN, given))) cpSync(join(GIVEN, given), this.folder, { recursive: true });
    for (const file of readdirSync(this.folder, { recursive: true, encoding: "utf8" })) {
      if (file.endsWith(".wat")) this.#assemble(join(this.folder, file));
    }
    const packages = join(this.folder, "node_modules");
    mkdirSync(packages);
    symlinkSync(ROOT, join(packages, "hookbox"));
    symlinkSync(join(ROOT, "node_modules/esbuild"), join(packages, "esbuild"));
  }

  /** The caller removes it after the page. */
  get root(): string {
    return this.#home;
  }

  #program(name: string, script: string): void {
    writeFileSync(join(this.#programs, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(this.#programs, name), 0o755);
  }

  /** Writes NAME.wasm from NAME.wat, with NAME.json as its manifest. */
  #assemble(file: string): void {
    const manifest = readFileSync(file.replace(/wat$/, "json"), "utf8");
    const wasm = withCustomSection(wat(readFileSync(file, "utf8")), MANIFEST_SECTION, manifest);
    writeFileSync(file.replace(/wat$/, "wasm"), wasm);
  }

  write(name: string, text: string): string {
    const file = join(this.#cwd, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  /** Runs a command as a user types it, in the folder to which earlier commands have changed. */
  async run(command: string): Promise<Ran> {
    if (INSTALL.startsWith(command)) {
      rmSync(join(this.folder, "node_modules"), { recursive: true });
      await installInto(this.folder);
      return { exitCode: 0, output: "" };
    }
    const [, stdin, args, file] = SIMPLE.exec(command.replace(/\s+#.*$/, "")) ?? [];
    const input = file === undefined ? (stdin ?? "") : readFileSync(join(this.#cwd, file), "utf8");
    const once = async () =>
      args === undefined || RUNS_ALL ? this.#shell(command) : this.#here(args.trim().split(/\s+/), input);
    let ran = await once();
    for (let tries = 1; tries < MAX_TRIES && IS_LATE.test(ran.output); tries += 1) ran = await once();
    return { ...ran, output: ran.output.replaceAll(this.folder, SHOWN) };
  }

  async #here(args: readonly string[], stdin: string): Promise<Ran> {
    const state = join(this.#home, "state");
    const { exitCode, stdout, stderr } = await inProcess(args, {
      cwd: this.#cwd,
      stdin,
      env: { ...KEYS, XDG_STATE_HOME: state },
    });
    return { exitCode, output: stdout + stderr };
  }

  /** The reader has approved the files of the project with `hookbox trust`. */
  async #shell(command: string): Promise<Ran> {
    const account = accountOf(accountHome());
    for (const [, args = ""] of command.matchAll(/hookbox ((?:run|check|explain)[^|&;<>]*)/g))
      await approvedAccount(args.trim().split(/\s+/), { cwd: this.#cwd, env: { HOME: this.#home } });
    const where = join(this.#home, "cwd");
    const script = `${command}\ncode=$?\npwd > "${where}"\nexit $code`;
    return new Promise((done, reject) => {
      const child = spawn("sh", ["-c", script], {
        cwd: this.#cwd,
        stdio: ["ignore", "pipe", "pipe"],
        env: {
          PATH: [this.#programs, process.env["PATH"]].join(delimiter),
          ...KEYS,
          HOME: this.#home,
          XDG_CACHE_HOME: process.env["XDG_CACHE_HOME"],
          XDG_STATE_HOME: join(this.#home, "state"),
          NO_COLOR: "1",
          ...account,
          ...{ npm_config_audit: "false", npm_config_fund: "false", npm_config_update_notifier: "false" },
          npm_config_prefer_offline: "true",
        },
      });
      const stdout: Buffer[] = [];
      const stderr: Buffer[] = [];
      child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
      child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
      child.on("error", reject);
      child.on("close", (exitCode) => {
        this.#cwd = readFileSync(where, "utf8").trim();
        done({ exitCode, output: Buffer.concat([...stdout, ...stderr]).toString() });
      });
    });
  }
}
