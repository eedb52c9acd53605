import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import picomatch from "picomatch";
import { describe, expect, test } from "vitest";

/**
 * The order of src/: an event passes through these folders from first to last, and a folder imports only folders before
 * it.
 */
const ROOMS = [
  "kernel",
  "files",
  "cache",
  "secrets",
  "net",
  "processes",
  "state",
  "wasm-binary",
  "sandbox",
  "templates",
  "models",
  "events",
  "shell",
  "matcher",
  "actions",
  "dialects",
  "config",
  "executors",
  "aggregate",
  "engine",
  "hosts",
  "authoring",
  "cli",
  "index",
];
const KERNEL = [
  "caller",
  "codec",
  "errors",
  "event",
  "exception",
  "grants",
  "json",
  "json-bounds",
  "layer-trust",
  "lazy-package",
  "optional-package",
  "outcome",
  "package-info",
  "project-folder",
  "rule",
  "schema-issue",
  "star-pattern",
  "stop-signal",
  "strict-json",
  "suggest",
  "text",
  "verdict",
];

/** Folders whose subfolders do the same job for different formats, and must not import each other. */
const SIBLINGS = ["dialects", "executors", "hosts"];

/** The languages of guards. Each has a folder in authoring/ with its compiler. */
const LANGUAGES = ["typescript", "c", "rust"];

/** Folders that know no agent by its name. */
const WITHOUT_AGENTS = ["engine.ts", "engine/**", "executors/**", "sandbox/**", "aggregate/**", "matcher/**"];

const SANDBOX = ["sandbox/**", "wasm-binary/**"];

/** What a process loads that an agent starts for one event, if the rules and the guard are in the cache. */
const ONE_SHOT = ["cli/main.ts", "cli/commands/run.ts", "engine.ts", "sandbox/guest/first-try.ts"];

/** What such a process must not load. */
const LATER = [
  ...["config/parse.ts", "config/document.ts", "config/edit-*.ts"],
  ...["config-format", "editing", "write-config", "hook-lists", "schema"].map((name) => `dialects/*/${name}.ts`),
  ...["rule-collector", "handler-*", "matcher-groups", "setting-problems", "writing", "editing"].map(
    (name) => `dialects/${name}.ts`,
  ),
  ...["sandbox/pool/thread-pool.ts", "sandbox/pool/worker.ts", "wasm-binary/code-reader.ts"],
  ...["admission", "examination", "rewrite", "metering"].map((name) => `sandbox/admission/${name}.ts`),
  ...["agent", "builtin", "mcp", "model"].map((name) => `executors/${name}/**`),
  ...["background", "convert", "hooks", "lines", "lock"].map((name) => `cli/${name}/**`),
  ...["models/**", "templates/**", "hosts/**", "net/**", "authoring/**", "cli/guard/**"],
];

/**
 * 100 kB more cost about 3 ms per event. Code that one event does not need goes to a separate file:
 * scripts/bundle.mjs.
 */
const MAX_BUNDLE_BYTES = 302_000;

const SRC = resolve(import.meta.dirname, "../src");
const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));

interface Import {
  readonly from: string;
  readonly to: string;
  readonly isDynamic: boolean;
  readonly isTypeOnly: boolean;
}

const imports: readonly Import[] = files.flatMap((from) => {
  const text = readFileSync(join(SRC, from), "utf8");
  const statics = [...text.matchAll(/^(import|export)( type)?\s[^;]*?from "([^"]+)"/gm)].map(([, , type, to]) => ({
    from,
    to: to as string,
    isDynamic: false,
    isTypeOnly: type !== undefined,
  }));
  const dynamics = [...text.matchAll(/\bimport\("([^"]+)"\)/g)].map(([, to]) => ({
    from,
    to: to as string,
    isDynamic: true,
    isTypeOnly: false,
  }));
  return [...statics, ...dynamics];
});

function roomOf(file: string): string {
  const [first = ""] = file.split("/");
  const name = first.replace(/\.ts$/, "");
  return KERNEL.includes(name) ? "kernel" : name;
}

const local = imports
  .filter(({ to }) => to.startsWith("."))
  .map((one) => ({ ...one, target: relative(SRC, resolve(SRC, dirname(one.from), one.to)) }));
const packages = imports.filter(({ to }) => !to.startsWith(".") && !to.startsWith("node:"));

/** Returns the files that the given files load at start-up, through static imports of values. */
function loadedBy(...entries: string[]): Set<string> {
  const seen = new Set(entries);
  for (const file of seen) {
    for (const { from, target, isDynamic, isTypeOnly } of local) {
      if (from === file && !isDynamic && !isTypeOnly) seen.add(target);
    }
  }
  return seen;
}

/** Returns the files that a file reaches through imports of any kind. */
function reachedFrom(file: string): Set<string> {
  const seen = new Set(targetsOf.get(file));
  for (const reached of seen) for (const target of targetsOf.get(reached) ?? []) seen.add(target);
  return seen;
}

const targetsOf = new Map(files.map((file) => [file, new Set<string>()]));
for (const { from, target } of local) targetsOf.get(from)?.add(target);

describe("the folders of src/", () => {
  test("are the planned ones, and no others", () => {
    expect([...new Set(files.map(roomOf))].sort()).toEqual([...ROOMS].sort());
    expect(KERNEL.filter((name) => !files.includes(`${name}.ts`))).toEqual([]);
  });

  test("are named here only if they exist", () => {
    const named = [
      ...SIBLINGS.map((name) => `${name}/**`),
      ...LANGUAGES.map((name) => `authoring/${name}/**`),
      ...[...WITHOUT_AGENTS, ...SANDBOX, ...ONE_SHOT, ...LATER],
    ];
    expect(named.filter((pattern) => !files.some((file) => picomatch.isMatch(file, pattern)))).toEqual([]);
  });

  test("have no cycle of imports, neither of values nor of types nor of dynamic imports", () => {
    const cyclic = files.filter((file) => reachedFrom(file).has(file));
    expect(cyclic).toEqual([]);
  });

  test("import only from folders before them", () => {
    const wrong = local.filter(({ from, target }) => ROOMS.indexOf(roomOf(target)) > ROOMS.indexOf(roomOf(from)));
    expect(wrong.map(({ from, target }) => `${from} -> ${target}`)).toEqual([]);
  });

  test.each(SIBLINGS)("do not import each other below %s", (room) => {
    const folderOf = (file: string): string | undefined =>
      file.split("/").length > 2 ? file.split("/")[1] : undefined;
    const wrong = local.filter(({ from, target }) => {
      if (roomOf(from) !== room || roomOf(target) !== room) return false;
      const [a, b] = [folderOf(from), folderOf(target)];
      return a !== undefined && b !== undefined && a !== b;
    });
    expect(wrong.map(({ from, target }) => `${from} -> ${target}`)).toEqual([]);
  });

  test("have a kernel that imports only files of its own folder", () => {
    const wrong = local.filter(({ from, target }) => roomOf(from) === "kernel" && roomOf(target) !== "kernel");
    expect(wrong).toEqual([]);
  });

  test("have a shell reader that guards can bundle, because it imports only its own folder", () => {
    const wrong = imports.filter(({ from, to }) => roomOf(from) === "shell" && !/^\.\/[\w-]+\.ts$/.test(to));
    expect(wrong).toEqual([]);
  });

  test("import Extism, Piscina and the wasm parser in the sandbox only", () => {
    const sandboxed = ["@extism/extism", "piscina", "wasmparser"];
    const wrong = packages.filter(({ from, to }) => sandboxed.includes(to) && !picomatch.isMatch(from, SANDBOX));
    expect(wrong).toEqual([]);
  });

  test("have a sandbox that other folders use through its index.ts, which has few names", () => {
    const wrong = local.filter(
      ({ from, target }) => roomOf(target) === "sandbox" && roomOf(from) !== "sandbox" && target !== "sandbox/index.ts",
    );
    expect(wrong.map(({ from, target }) => `${from} -> ${target}`)).toEqual([]);
    const face = readFileSync(join(SRC, "sandbox/index.ts"), "utf8");
    const names = [...face.matchAll(/^export (?:const|(?:type )?\* as|(?:type )?\{) ?([^=}]*?)(?: from| \}| = )/gm)];
    expect(names.flatMap(([, list = ""]) => list.split(",")).length).toBeLessThanOrEqual(15);
  });

  test("have a sandbox that knows no rules and no events", () => {
    const wrong = local.filter(
      ({ from, target }) => roomOf(from) === "sandbox" && /^(rule|event|codec)\.ts$/.test(target),
    );
    expect(wrong.map(({ from, target }) => `${from} -> ${target}`)).toEqual([]);
  });

  test("do not name agents in the engine and the executors", () => {
    const agents = /\b(docker-agent|agentao|autohand|openclaw|gemini|codex)\b/i;
    const wrong = files
      .filter((file) => picomatch.isMatch(file, WITHOUT_AGENTS))
      .filter((file) => agents.test(readFileSync(join(SRC, file), "utf8")));
    expect(wrong).toEqual([]);
  });

  test("load no heavy package for the answer to one event", () => {
    const loaded = loadedBy(...ONE_SHOT);
    const heavy = packages.filter(({ from, isDynamic, isTypeOnly }) => loaded.has(from) && !isDynamic && !isTypeOnly);
    expect(heavy).toEqual([]);
  });

  test("load no admission, no other command and nothing for authors of guards for the answer to one event", () => {
    expect([...loadedBy(...ONE_SHOT)].filter((file) => picomatch.isMatch(file, LATER))).toEqual([]);
  });

  test("ship the answer to one event as files that Node reads fast", () => {
    const sizes = ["hookbox.cjs", "kernel.cjs", "main.cjs"].map(
      (file) => statSync(resolve(SRC, "../dist/bundle", file)).size,
    );
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(MAX_BUNDLE_BYTES);
  });

  test("keep compilers of other languages in their own folder", () => {
    const languageOf = (file: string): string | undefined => /^authoring\/([^/]+)\//.exec(file)?.[1];
    const wrong = local.filter(({ from, target }) => {
      const [a, b] = [languageOf(from) ?? "", languageOf(target) ?? ""];
      return LANGUAGES.includes(a) && LANGUAGES.includes(b) && a !== b;
    });
    expect(wrong.map(({ from, target }) => `${from} -> ${target}`)).toEqual([]);
  });

  test("load the thread pool only if a guard needs it", () => {
    const loaded = loadedBy("engine.ts");
    const wrong = packages.filter(
      ({ from, to, isTypeOnly, isDynamic }) => loaded.has(from) && to === "piscina" && !isTypeOnly && !isDynamic,
    );
    expect(wrong).toEqual([]);
  });

  test("load what web hooks need only if a web hook is configured", () => {
    const loaded = [...loadedBy("cli/main.ts", "cli/commands/run.ts", "engine.ts")];
    expect(loaded.filter((file) => file.startsWith("net/"))).toEqual([]);
    const fromElsewhere = imports.filter(({ from, to }) => /^node:https?$/.test(to) && loaded.includes(from));
    expect(fromElsewhere.filter(({ isDynamic, isTypeOnly }) => !isDynamic && !isTypeOnly)).toEqual([]);
  });

  test("have no file with a name that could stand for any content", () => {
    const vague = /(^|\/)(utils?|helpers?|common|types|manager|service|base|misc)\.ts$/;
    expect(files.filter((file) => vague.test(file))).toEqual([]);
  });

  test("have index.ts files that only re-export", () => {
    const statements = readFileSync(join(SRC, "index.ts"), "utf8")
      .split(";")
      .map((text) => text.trim())
      .filter((text) => text !== "");
    expect(statements.filter((text) => !/^export (type )?\{[^}]*\} from "[^"]+"$/.test(text))).toEqual([]);
  });
});

describe("the pages about the project", () => {
  const ROOT = resolve(SRC, "..");
  const DECISIONS = readdirSync(join(ROOT, "docs/decisions")).filter((name) => name !== "README.md");
  const textOf = (page: string): string => readFileSync(join(ROOT, page), "utf8");

  test("list the folders of src/ in their order", () => {
    const table = /^\| folder of `src\/` .*\n.*\n((?:\|.*\n)+)/m.exec(textOf("CONTRIBUTING.md"))?.[1] ?? "";
    const rows = table.trim().split("\n");
    const names = rows.map((row) => [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, name]) => name));
    expect(names).toEqual(ROOMS.map((room) => (room === "kernel" ? KERNEL : [room])));
  });

  test("list each decision once, by its title", () => {
    const listed = [
      ...textOf("docs/decisions/README.md").matchAll(/^- \[(\d+)\]\((\S+?)\) (.*?)( \(superseded .*)?$/gm),
    ];
    const titles = DECISIONS.sort().map(
      (name) => `${name} ${/^# \d+\. (.*)$/m.exec(textOf(`docs/decisions/${name}`))?.[1]}`,
    );
    expect(listed.map(([, , name, title]) => `${name} ${title}`).sort()).toEqual(titles);
    expect(listed.filter(([, number = "", name = ""]) => !name.startsWith(`${number}-`))).toEqual([]);
  });

  test("link only to files that exist", () => {
    const pages = ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/decisions/README.md"];
    const links = [...pages, ...DECISIONS.map((name) => `docs/decisions/${name}`)].flatMap((page) =>
      [...textOf(page).matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)].map(([, link = ""]) =>
        join(ROOT, dirname(page), link),
      ),
    );
    expect(links.filter((link) => !existsSync(link))).toEqual([]);
  });
});
