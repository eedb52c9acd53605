import { relative, resolve } from "node:path";
import { sha256 } from "../../cache/cache-folder.ts";
import { fileValue } from "../../config/edit-keeping-comments.ts";
import { parseSources } from "../../config/parse.ts";
import { scriptWordsOf } from "../../config/script-words.ts";
import { approvedLock } from "../../config/source-trust.ts";
import { type ConfigFile, isOfRepository, openSources, type Source } from "../../config/sources.ts";
import { valueAt } from "../../dialects/hook-sections.ts";
import { HookError, type Problem } from "../../errors.ts";
import { digestOfFile } from "../../files/file-digest.ts";
import { leadsIntoProject, projectFolder, projectOf } from "../../project-folder.ts";
import type { Rule } from "../../rule.ts";
import { readModule } from "../../sandbox/index.ts";
import type { Approval, Approvals } from "../../state/approvals.ts";

/** Collects what the files of a repository would run and give, and the digest of exactly that content. */

/** One file of the repository, as it is on disk now. */
export interface ReviewedFile {
  readonly file: string;
  readonly agent: string | null;
  /** `removed`: the approved content is in force, and there is no file on disk. */
  readonly state: "new" | "changed" | "removed" | "approved";
  readonly rules: readonly Rule[];
  readonly settings: readonly { readonly name: string; readonly value: unknown }[];
  readonly problems: readonly Problem[];
  /** `undefined` for a removed file. */
  readonly content: Omit<Approval, "path" | "digest"> | undefined;
  readonly moduleBytes: readonly Uint8Array[];
}

export interface TrustReview {
  readonly files: readonly ReviewedFile[];
  /** The digest of all files together, which `--trust` and `HOOKBOX_TRUST` name. */
  readonly digest: string;
}

/** Reviews the files of the repository among `files`. Other files only decide about models and servers. */
export async function reviewTrust(
  files: readonly ConfigFile[],
  cwd: string,
  approvals: Approvals,
): Promise<TrustReview> {
  const opened = await openSources(files, [], cwd);
  const own = opened.filter(isOfRepository);
  const present = opened.filter((source) => !own.includes(source) || !isGone(source));
  const { rules, problems, settings = [] } = await parseSources(present);
  const reviewed = await Promise.all(
    own.map(async (source): Promise<ReviewedFile> => {
      const file = resolve(cwd, source.name);
      const agent = source.agent ?? null;
      const approval = await approvals.get(file, agent);
      const empty = { rules: [], settings: [], problems: [], moduleBytes: [] };
      if (isGone(source) && approval !== undefined)
        return { ...empty, file, agent, state: "removed", content: undefined };
      const isOwn = ({ place }: { readonly place?: Rule["place"] }): boolean => place?.file === source.name;
      const ofFile = rules.filter(isOwn);
      const { content, moduleBytes } = await contentOf(source, ofFile, cwd);
      const value = await fileValue(content.text, source.name).catch(() => undefined);
      const isSame = approval !== undefined && describe(content, file, cwd) === describe(approval, file, cwd);
      return {
        ...{ file, agent, content, moduleBytes, rules: ofFile },
        settings: settings.flatMap(({ places = {} }) =>
          Object.entries(places).flatMap(([name, place]) =>
            isOwn({ place }) ? [{ name, value: valueAt(value, name.split(".")) ?? null }] : [],
          ),
        ),
        problems: problems.filter(isOwn),
        state: approval === undefined ? "new" : isSame ? "approved" : "changed",
      };
    }),
  );
  const described = reviewed.flatMap(({ content, file }) => (content ? [describe(content, file, cwd)] : []));
  return { files: reviewed, digest: sha256(JSON.stringify(["hookbox trust 1", ...described.sort()])) };
}

/** Makes the reviewed content the content in force. */
export async function approve({ files, digest }: TrustReview, approvals: Approvals): Promise<void> {
  for (const { file, agent, content, moduleBytes } of files) {
    if (content === undefined) await approvals.remove(file, agent);
    else await approvals.put(file, { ...content, digest }, moduleBytes);
  }
}

const NO_FILE = { code: "HOOK_CONFIG_UNREADABLE", message: "it is not a file" } as const;

function isGone({ content }: Source): boolean {
  return content.kind === "unreadable" && content.problem.code === "HOOK_CONFIG_NOT_FOUND";
}

async function contentOf(
  { name, content, lock, dialect, agent }: Source,
  rules: readonly Rule[],
  cwd: string,
): Promise<Pick<ReviewedFile, "moduleBytes"> & { readonly content: Omit<Approval, "path" | "digest"> }> {
  if (content.kind !== "text") {
    const { code, message } = content.kind === "unreadable" ? content.problem : NO_FILE;
    throw new HookError(code, `${name} cannot be approved: ${message}`);
  }
  const modules = new Map<string, string>();
  const moduleBytes: Uint8Array[] = [];
  const scripts = new Map<string, readonly string[]>();
  for (const { handler, baseDir } of rules) {
    if (handler.type === "wasm" && !handler.module.startsWith("builtin:") && !modules.has(handler.module)) {
      const read = await readModule(handler.module, baseDir);
      // A missing module is not approved, so the rule fails until the module is there and approved.
      if ("refused" in read) continue;
      modules.set(handler.module, sha256(read.bytes));
      moduleBytes.push(read.bytes);
    }
    if (handler.type !== "command") continue;
    const folders = [cwd, baseDir, projectFolder(cwd), resolve(baseDir, handler.workingDir ?? "")];
    for (const word of scriptWordsOf(handler.command, handler.args))
      scripts.set(word, [...new Set([...(scripts.get(word) ?? []), ...(await digestsOf(word, folders, cwd))])]);
  }
  return {
    moduleBytes,
    content: {
      ...{
        agent: agent ?? null,
        dialect: dialect.name,
        text: content.text,
        lock: approvedLock(lock),
      },
      modules: Object.fromEntries([...modules].sort()),
      scripts: Object.fromEntries([...scripts].sort()),
    },
  };
}

/** Returns the digests of the files in the project that a word may name. */
async function digestsOf(word: string, folders: readonly string[], cwd: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const folder of new Set(folders)) {
    const path = word.replace(/\$(?:\{(\w+)[^}]*\}|(\w+))/g, (_, braced?: string, plain?: string) =>
      // The agent names the folder of the project with such a variable, for example CLAUDE_PROJECT_DIR.
      /PROJECT/.test(braced ?? plain ?? "") ? folder : (process.env[braced ?? plain ?? ""] ?? ""),
    );
    const place = resolve(folder, path);
    const digest = leadsIntoProject(place, cwd) ? await digestOfFile(place) : undefined;
    if (digest !== undefined) found.push(digest);
  }
  return found.sort();
}

/** Returns a text that is equal for equal content. Paths are relative, so that a project has one digest everywhere. */
function describe(content: Omit<Approval, "path" | "digest">, file: string, cwd: string): string {
  const { agent, dialect, text, lock, modules, scripts } = content;
  const lockDigest = typeof lock === "string" ? sha256(lock) : lock;
  return JSON.stringify([
    relative(projectOf(file, cwd), file),
    ...[agent, dialect, sha256(text), lockDigest],
    ...[Object.entries(modules), Object.entries(scripts)],
  ]);
}
