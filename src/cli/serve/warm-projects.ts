import { lstatSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { callersEnvironment } from "../../caller.ts";
import type { ConfigFile } from "../../config/load.ts";
import { LOCK_FILE } from "../../config/lockfile.ts";
import { createEngine, type Engine } from "../../engine.ts";
import { describeThrown, type ErrorCode, formatProblem } from "../../errors.ts";
import { mayComeWithRepository } from "../../layer-trust.ts";
import { accountHome, projectFolders, SESSION_VARIABLES } from "../../project-folder.ts";
import { type SharedThreads, shareThreads } from "../../sandbox/index.ts";
import { approvalPlace } from "../../state/approval-place.ts";
import { defaultStateFolder } from "../../state/default-state-folder.ts";

/** Engines that stay warm between calls: one for each project, dialect and command line. */

/** What decides which rules are in force for a call. */
export interface Project {
  readonly cwd: string;
  readonly dialect: string;
  /** The arguments that select the configuration. Part of the key. */
  readonly selection: readonly unknown[];
  findFiles(): Promise<readonly ConfigFile[]>;
}

interface Warm {
  readonly engine: Engine;
  /** Prepares all rules. Called more than once, prepares the rules once. Never rejects. */
  readonly prepare: () => Promise<void>;
  /** The files that the engine has loaded, with their fingerprints at that time. */
  readonly loaded: string;
  readonly files: readonly ConfigFile[];
  /** Everything whose change may mean other rules. */
  readonly watched: readonly string[];
  fingerprint: string;
  /** The calls that use the engine. */
  readonly calls: Set<Promise<void>>;
  usedAt: number;
  reload?: Promise<void> | undefined;
  /** Why the files on disk are not in force. */
  pending?: string | undefined;
}

/** What `/health` and `hookbox doctor` show of a project. */
export interface ProjectState {
  readonly cwd: string;
  readonly dialect: string;
  readonly rules: number;
  readonly problems: readonly string[];
  readonly pending: string | null;
}

/** Problems of files whose rules are not known. */
const UNREAD: readonly ErrorCode[] = [
  "HOOK_CONFIG_NOT_FOUND",
  "HOOK_CONFIG_UNREADABLE",
  "HOOK_CONFIG_SYNTAX",
  "HOOK_CONFIG_LIMIT",
];
/** Variables of the caller that name folders of configuration files. */
const SELECTING_VARIABLES = ["HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", ...SESSION_VARIABLES];
const MOST_ENGINES = 64;
const THREADS_WAIT_MS = 4_000;
/** The longest time for which the states of projects wait for the problems of rules that are being prepared. */
const STATES_WAIT_MS = 2_000;

export class WarmProjects {
  readonly #projects = new Map<string, { readonly project: Project; readonly warm: Promise<Warm> }>();
  /** The threads for the guards of all projects. Started for the first project. */
  #threads: Promise<SharedThreads> | undefined;
  readonly #threadCount: number;
  reloads = 0;

  constructor(threadCount: number) {
    this.#threadCount = threadCount;
  }

  get size(): number {
    return this.#projects.size;
  }

  /**
   * Returns the project's engine, which stays open until `done`. If its files have changed, the old engine answers until the new one is whole, and the
   * old one stays if the new one has errors or a file in force is gone.
   */
  async engineOf(project: Project, done: Promise<void>): Promise<Engine> {
    const variables = SELECTING_VARIABLES.map((name) => callersEnvironment()[name] ?? null);
    const key = JSON.stringify([project.cwd, project.dialect, project.selection, variables]);
    let known = this.#projects.get(key);
    if (known === undefined) {
      known = { project, warm: this.#load(project) };
      this.#projects.set(key, known);
      // A failed start must not be kept: the next call may find the file.
      known.warm.catch(() => this.#projects.delete(key));
      void this.#dropLeastUsed();
    }
    const warm = await known.warm;
    // Replaced while this call waited for it.
    if (this.#projects.get(key) !== known) return this.engineOf(project, done);
    warm.calls.add(done);
    void done.then(() => {
      warm.calls.delete(done);
      // The first calls prepare only the rules that they need. The answer is written before the others are prepared.
      setImmediate(warm.prepare);
    });
    warm.usedAt = performance.now();
    if (warm.reload === undefined && fingerprintOf(warm.watched) !== warm.fingerprint)
      warm.reload = this.#reload(key, project, warm).finally(() => {
        warm.reload = undefined;
      });
    return warm.engine;
  }

  async states(): Promise<readonly ProjectState[]> {
    const states = [...this.#projects.values()].map(async ({ project: { cwd, dialect }, warm }) => {
      const { engine, prepare, pending = null } = await warm;
      await Promise.race([prepare(), sleep(STATES_WAIT_MS, undefined, { ref: false })]);
      return { cwd, dialect, rules: engine.rules.length, problems: engine.problems.map(formatProblem), pending };
    });
    const settled = await Promise.allSettled(states);
    return settled.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  }

  async close(): Promise<void> {
    const all = [...this.#projects.values()];
    this.#projects.clear();
    await Promise.all(all.map(({ warm }) => warm.then(closed, () => {})));
    await (await this.#threads)?.close(THREADS_WAIT_MS);
  }

  /** `files`: the files of a reload. No event waits for a reload, so all rules are prepared. */
  async #load(project: Project, files?: readonly ConfigFile[]): Promise<Warm> {
    const found = files ?? (await project.findFiles());
    const before = fingerprintOf(namedIn(project, found));
    this.#threads ??= shareThreads(this.#threadCount);
    const threads = await this.#threads;
    const engine = await createEngine({
      configFiles: found,
      cwd: project.cwd,
      dialect: project.dialect,
      stateFolder: defaultStateFolder,
      approvals: "required",
      prepare: files === undefined ? "later" : "all",
      sandbox: { threads },
    });
    const watched = [...watchedFolders(project, found), ...dependenciesOf(project, found, engine)];
    // A file that changed while it was read makes the next call load it again.
    const isSame = fingerprintOf(namedIn(project, found)) === before;
    const loaded = isSame ? contentsOf(project, found, engine) : "";
    const fingerprint = isSame ? fingerprintOf(watched) : "";
    let prepared = files === undefined ? undefined : Promise.resolve();
    const prepare = (): Promise<void> => {
      prepared ??= engine.prepare().catch(() => {});
      return prepared;
    };
    return { engine, prepare, files: found, loaded, watched, fingerprint, calls: new Set(), usedAt: performance.now() };
  }

  async #reload(key: string, project: Project, old: Warm): Promise<void> {
    const fingerprint = fingerprintOf(old.watched);
    try {
      const files = await project.findFiles();
      const gone = old.files.find(({ file, text }) => text === undefined && !files.some((one) => one.file === file));
      if (gone !== undefined)
        throw new Error(`${gone.file} is gone; its rules stay in force until the server restarts`);
      if (contentsOf(project, files, old.engine) === old.loaded) {
        old.pending = undefined;
        return;
      }
      await old.prepare();
      const next = await this.#load(project, files);
      // A file that is not approved only has warnings, but its guards must not vanish with a file that cannot be read.
      const error = next.engine.problems.find(({ severity, code }) => severity === "error" || UNREAD.includes(code));
      if (error !== undefined && !old.engine.problems.some(({ severity }) => severity === "error")) {
        void closed(next);
        throw new Error(formatProblem(error));
      }
      this.#projects.set(key, { project, warm: Promise.resolve(next) });
      this.reloads += 1;
      void closed(old);
    } catch (error) {
      old.pending = describeThrown(error);
    } finally {
      old.fingerprint = fingerprint;
    }
  }

  async #dropLeastUsed(): Promise<void> {
    if (this.#projects.size <= MOST_ENGINES) return;
    const ages = await Promise.all(
      [...this.#projects].map(async ([key, { warm }]) => ({
        key,
        usedAt: (await warm.catch(() => undefined))?.usedAt,
      })),
    );
    const [oldest] = ages
      .filter(({ usedAt }) => usedAt !== undefined)
      .sort((a, b) => (a.usedAt ?? 0) - (b.usedAt ?? 0));
    const dropped = oldest && this.#projects.get(oldest.key);
    if (oldest === undefined || dropped === undefined) return;
    this.#projects.delete(oldest.key);
    await dropped.warm.then(closed);
  }
}

/** Waits for the calls that still use the engine. */
async function closed({ engine, calls }: Warm): Promise<void> {
  // To close an engine cancels its hooks, and a call whose hooks are cancelled is refused.
  await Promise.all(calls);
  await engine.close();
}

function modulesOf({ rules }: Engine): readonly string[] {
  return rules.flatMap(({ handler, baseDir }) =>
    handler.type === "wasm" && !handler.module.startsWith("builtin:") ? [resolve(baseDir, handler.module)] : [],
  );
}

/** The files on disk that the command line or a place names. */
function namedIn({ cwd }: Project, files: readonly ConfigFile[]): readonly string[] {
  return files.flatMap(({ file, text }) => (text === undefined ? [resolve(cwd, file)] : []));
}

/** Folders are watched because a new file changes the modification time of its folder. */
function watchedFolders(project: Project, files: readonly ConfigFile[]): readonly string[] {
  const { cwd } = project;
  const usual = [...projectFolders(cwd), join(cwd, ".claude"), join(accountHome() ?? cwd, ".config", "hookbox")];
  return [...new Set([...usual, ...namedIn(project, files).map(dirname)])];
}

function dependenciesOf(project: Project, files: readonly ConfigFile[], engine: Engine): readonly string[] {
  const named = namedIn(project, files);
  const approved = files.flatMap(({ file, layer = "project", agent = null }) =>
    mayComeWithRepository(layer) ? [approvalPlace(resolve(project.cwd, file), agent).place] : [],
  );
  return [...named, ...approved, ...new Set(named.map((file) => join(dirname(file), LOCK_FILE))), ...modulesOf(engine)];
}

function contentsOf(project: Project, files: readonly ConfigFile[], engine: Engine): string {
  return JSON.stringify(files) + fingerprintOf(dependenciesOf(project, files, engine));
}

/** Synchronous, because a few calls of `lstat` take less time than one turn of the event loop. */
function fingerprintOf(paths: readonly string[]): string {
  return paths.map(stamp).join(" ");
}

function stamp(path: string): string {
  try {
    const { ino, size, mtimeNs, ctimeNs } = lstatSync(path, { bigint: true });
    return `${ino}.${size}.${mtimeNs}.${ctimeNs}`;
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}
