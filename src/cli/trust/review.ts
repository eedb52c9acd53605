import { isAbsolute, relative, resolve } from "node:path";
import { sha256 } from "../../cache/cache-folder.ts";
import { approvedLock } from "../../config/approved-contents.ts";
import { fileValue } from "../../config/edit-keeping-comments.ts";
import { parseSources } from "../../config/parse.ts";
import { scriptWordsOf } from "../../config/script-words.ts";
import { type ConfigFile, isOfRepository, openSources, type Source } from "../../config/sources.ts";
import { valueAt } from "../../dialects/hook-sections.ts";
import { HookError, type Problem } from "../../errors.ts";
import { namedPath } from "../../executors/approved-scripts.ts";
import { digestOfScript, scriptFile, scriptPlace } from "../../files/script-digest.ts";
import { leadsInto, projectOf } from "../../project-folder.ts";
import type { Rule } from "../../rule.ts";
import { readModule } from "../../sandbox/index.ts";
import type { Approval, Approvals } from "../../state/approvals.ts";
import { type Loads, loadedBy } from "./loaded-files.ts";

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
  /** What the scripts load and the approval does not pin. */
  readonly notPinned: { readonly packages: readonly string[]; readonly cut: readonly string[] };
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
      const notPinned = { packages: [], cut: [] };
      const empty = { rules: [], settings: [], problems: [], moduleBytes: [], notPinned };
      if (isGone(source) && approval !== undefined)
        return { ...empty, file, agent, state: "removed", content: undefined };
      const isOwn = ({ place }: { readonly place?: Rule["place"] }): boolean => place?.file === source.name;
      const ofFile = rules.filter(isOwn);
      const reviewed = await contentOf(source, ofFile, cwd);
      const { content } = reviewed;
      const value = await fileValue(content.text, source.name).catch(() => undefined);
      const isSame = approval !== undefined && describe(content, file, cwd) === describe(approval, file, cwd);
      return {
        ...{ ...reviewed, file, agent, rules: ofFile },
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
): Promise<Pick<ReviewedFile, "moduleBytes" | "notPinned"> & { readonly content: Omit<Approval, "path" | "digest"> }> {
  if (content.kind !== "text") {
    const { code, message } = content.kind === "unreadable" ? content.problem : NO_FILE;
    throw new HookError(code, `${name} cannot be approved: ${message}`);
  }
  const modules = new Map<string, string>();
  const moduleBytes: Uint8Array[] = [];
  const scripts = new Map<string, readonly string[]>();
  const loads = new Map<string, Loads["files"]>();
  const packages = new Set<string>();
  const cut: string[] = [];
  const project = projectOf(name, cwd);
  for (const { handler, baseDir } of rules) {
    if (handler.type === "wasm" && !handler.module.startsWith("builtin:") && !modules.has(handler.module)) {
      const read = await readModule(handler.module, baseDir);
      // A missing module is not approved, so the rule fails until the module is there and approved.
      if ("refused" in read) continue;
      modules.set(handler.module, sha256(read.bytes));
      moduleBytes.push(read.bytes);
    }
    const words = scriptWordsOf({ handler });
    const folders = [cwd, baseDir, project, resolve(baseDir, workingDirOf(handler))];
    for (const word of words) {
      const places = await placesOf(word, folders, project);
      const digests = await Promise.all(places.map(digestOfScript));
      const own = digests.flatMap((digest) => (digest === undefined ? [] : [digest]));
      scripts.set(word, [...new Set([...(scripts.get(word) ?? []), ...own])].sort());
      const loaded = await loadedBy(places, project);
      loads.set(word, { ...loads.get(word), ...loaded.files });
      for (const name of loaded.packages) packages.add(name);
      if (loaded.isCut) cut.push(word);
    }
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
      loads: Object.fromEntries([...loads].filter(([, files]) => Object.keys(files).length > 0).sort()),
    },
    notPinned: { packages: [...packages].sort(), cut },
  };
}

function workingDirOf(handler: Rule["handler"]): string {
  if (handler.type === "command") return handler.workingDir ?? "";
  return handler.type === "mcp_tool" && handler.found?.kind === "stdio" ? handler.found.workingDir : "";
}

/** Returns the places in the project that a word may name, as `whyNotApproved` looks for them. */
async function placesOf(word: string, folders: readonly string[], project: string): Promise<readonly string[]> {
  const places = new Set<string>();
  for (const folder of new Set(folders)) {
    // The agent names the folder of the project with such a variable, for example CLAUDE_PROJECT_DIR.
    const path = namedPath(word.replace(/\$(?:\{\w*PROJECT\w*[^}]*\}|\w*PROJECT\w*)/g, folder), process.env);
    const place = scriptPlace(folder, path);
    if (!isAbsolute(path) || leadsInto(scriptFile(place), project)) places.add(place);
  }
  return [...places];
}

/** Returns a text that is equal for equal content. Paths are relative, so that a project has one digest everywhere. */
function describe(content: Omit<Approval, "path" | "digest">, file: string, cwd: string): string {
  const { agent, dialect, text, lock, modules, scripts, loads = {} } = content;
  const lockDigest = typeof lock === "string" ? sha256(lock) : lock;
  return JSON.stringify([
    relative(projectOf(file, cwd), file),
    ...[agent, dialect, sha256(text), lockDigest],
    ...[Object.entries(modules), Object.entries(scripts), Object.entries(loads)],
  ]);
}
