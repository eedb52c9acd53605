import { resolve } from "node:path";
import { dialectNamed } from "../dialects/registry.ts";
import { type Approval, Approvals } from "../state/approvals.ts";
import { cleanLine } from "../text.ts";
import type { LockText } from "./lockfile.ts";
import { isOfRepository, type Source } from "./sources.ts";

/**
 * Replaces the contents of a repository's files by the contents that the user has approved. `readsModules` also reports
 * changed modules, of which the approved copies are in force.
 */
export function underApprovals(
  sources: readonly Source[],
  cwd: string,
  readsModules: boolean,
): Promise<readonly Source[]> {
  const approvals = new Approvals();
  return Promise.all(
    sources.map(async (source) => {
      if (!isOfRepository(source)) return source;
      const approval = await approvals.get(resolve(cwd, source.name), source.agent ?? null);
      const moduleFile = (digest: string): string => approvals.moduleFile(digest);
      if (approval === undefined) return { ...source, trust: { approval, changes: [], moduleFile, cwd } };
      const changes = [...changesOf(source, approval), ...(readsModules ? await changedModules(source, approval) : [])];
      return {
        ...source,
        dialect: dialectNamed(approval.dialect) ?? source.dialect,
        content: { kind: "text", text: approval.text } as const,
        lock: lockOf(approval),
        trust: { approval, changes, moduleFile, cwd },
      };
    }),
  );
}

function changesOf({ content, lock, dialect }: Source, approval: Approval): readonly string[] {
  if (content.kind !== "text") return [content.kind === "unreadable" && isGone(content) ? "is gone" : "cannot be read"];
  return [
    ...(content.text === approval.text ? [] : ["has changed"]),
    ...(dialect.name === approval.dialect ? [] : [`is read as a ${dialect.name} file`]),
    ...(approvedLock(lock) === approval.lock ? [] : ["has another lock file"]),
  ];
}

function lockOf({ lock }: Approval): LockText {
  if (lock === null) return { kind: "none" };
  if (lock === false) return { kind: "unreadable", message: "it could not be read when you approved the file" };
  return { kind: "text", text: lock };
}

/** Returns the form in which an approval keeps a lock file. */
export function approvedLock(lock: LockText): Approval["lock"] {
  return lock.kind === "text" ? lock.text : lock.kind === "none" ? null : false;
}

async function changedModules({ baseDir }: Source, { modules }: Approval): Promise<readonly string[]> {
  const { digestOfFile } = await import("../files/file-digest.ts");
  const found = Object.entries(modules).map(async ([module, digest]) =>
    (await digestOfFile(resolve(baseDir, module))) === digest ? [] : [`has another module ${cleanLine(module)}`],
  );
  return (await Promise.all(found)).flat();
}

const isGone = ({ problem }: Extract<Source["content"], { readonly kind: "unreadable" }>): boolean =>
  problem.code === "HOOK_CONFIG_NOT_FOUND";
