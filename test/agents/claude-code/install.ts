import { existsSync } from "node:fs";
import { join } from "node:path";
import { installPackage } from "../install.ts";

const PACKAGE = "@anthropic-ai/claude-code";

export interface Client {
  readonly binary: string;
  readonly version: string;
}

/** Installs the real client from npm. The program itself is in a package for the platform. */
export async function installClaudeCode(wanted = process.env["HOOKBOX_TEST_CLAUDE_CODE"] ?? "latest"): Promise<Client> {
  const { packages, version } = await installPackage(PACKAGE, wanted);
  const platform = `${PACKAGE}-${process.platform}-${process.arch}`;
  const binary = [platform, `${platform}-musl`].map((name) => join(packages, name, "claude")).find(existsSync);
  if (binary === undefined) throw new Error(`${PACKAGE}@${version} has no program for this platform (${platform})`);
  return { binary, version };
}
