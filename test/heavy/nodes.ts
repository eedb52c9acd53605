import { execFileSync } from "node:child_process";

interface NodeVersion {
  readonly major: number;
  readonly path: string;
}

/** This Node, and the other supported versions: paths in `HOOKBOX_NODES` separated by commas, or installed from npm. */
export function supportedNodes(): readonly NodeVersion[] {
  const given = process.env["HOOKBOX_NODES"]?.split(",") ?? [];
  const own = Number(process.versions.node.split(".")[0]);
  return [20, 22, 24, 26].map((major) => {
    const path = given.find((one) => majorOf(one) === major);
    if (path !== undefined) return { major, path };
    if (major === own) return { major, path: process.execPath };
    return { major, path: installed(major) };
  });
}

function majorOf(node: string): number {
  return Number(execFileSync(node, ["-p", "process.versions.node.split('.')[0]"], { encoding: "utf8" }));
}

function installed(major: number): string {
  const args = ["-y", `node@${major}`, "-p", "process.execPath"];
  return execFileSync("npx", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
}
