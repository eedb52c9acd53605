import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const PACKAGE = "@anthropic-ai/claude-code";
/** Kept between runs, where nobody else can put a program. */
const FOLDER = resolve(import.meta.dirname, "../../../node_modules/.cache/hookbox-agents/claude-code");
const INSTALL_MS = 150_000;

export interface Client {
  readonly binary: string;
  readonly version: string;
}

/** The real client as npm has it, without any of its install scripts: the program itself is in a package by platform. */
export async function installClaudeCode(): Promise<Client> {
  const wanted = process.env["HOOKBOX_TEST_CLAUDE_CODE"] ?? "latest";
  mkdirSync(FOLDER, { recursive: true });
  const args = ["install", "--prefix", FOLDER, "--no-save", "--ignore-scripts", "--no-audit", "--no-fund"];
  try {
    await promisify(execFile)("npm", [...args, `${PACKAGE}@${wanted}`], { cwd: FOLDER, timeout: INSTALL_MS });
  } catch (error) {
    const { stderr } = error as { readonly stderr?: string };
    throw new Error(`cannot install ${PACKAGE}@${wanted} with npm, so nothing is shown of it:\n${stderr ?? error}`);
  }
  const packages = join(FOLDER, "node_modules");
  const { version } = JSON.parse(readFileSync(join(packages, PACKAGE, "package.json"), "utf8")) as { version: string };
  const platform = `${PACKAGE}-${process.platform}-${process.arch}`;
  const binary = [platform, `${platform}-musl`].map((name) => join(packages, name, "claude")).find(existsSync);
  if (binary === undefined) throw new Error(`${PACKAGE}@${version} has no program for this platform (${platform})`);
  return { binary, version };
}
