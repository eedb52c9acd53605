import { posix } from "node:path";
import type { HookEvent } from "../event.ts";
import type { EventContract } from "../events/contract.ts";
import { isJsonObject } from "../json.ts";
import type { Rule } from "../rule.ts";
import { takesConditions } from "./condition/condition.ts";
import { compileGlob, type PathGlob } from "./condition/path/compile-glob.ts";
import { agentsDirectory, folder, placesOf, workingDirectories } from "./condition/path/place.ts";
import { shown } from "./condition/specifier.ts";
import { Steps, UNBOUNDED } from "./steps.ts";

/**
 * The tools and files that an event must be about. Unlike a condition, a filter never fits an event without a tool or
 * file. A filter fits if the steps do not suffice. `steps` is unbounded by default.
 */
export interface Filter {
  test(event: HookEvent, steps?: Steps): { readonly fits: boolean; readonly why: string };
}

type CompiledFilter =
  | { readonly ok: true; readonly filter: Filter }
  | { readonly ok: false; readonly message: string; readonly hint?: string };

/** Fields that contain a tool's path. */
export const PATH_FIELDS: readonly string[] = ["file_path", "path", "notebook_path"];

/** Events without a tool whose payload has one of `PATH_FIELDS`. */
const FILE_EVENTS: readonly string[] = ["FileChanged", "InstructionsLoaded", "ConfigChange"];

/** Whether a filter by path can fit an event. */
export function takesPaths(event: string, contract: EventContract): boolean {
  return takesConditions(contract) || FILE_EVENTS.includes(event);
}

/**
 * Compiles a filter. An empty list filters nothing. `spellings` are other names of a tool that the filter's author may
 * have used.
 */
export function compileFilter(
  { tools = [], paths = [] }: NonNullable<Rule["filter"]>,
  spellings: (tool: string) => readonly string[] = () => [],
): CompiledFilter {
  const globs: PathGlob[] = [];
  for (const path of paths) {
    if (path.startsWith("!")) {
      const hint = "list the paths for which the hook runs; write \\! for a name that begins with !";
      return { ok: false, message: `"${path}" is a negated path pattern`, hint };
    }
    const compiled = compileGlob(path.replace(/^(\.\/)+/, ""));
    if (!compiled.ok) return compiled;
    globs.push(compiled.glob);
  }
  const test = (event: HookEvent, steps: Steps): ReturnType<Filter["test"]> => {
    const tool = event.payload["tool_name"];
    const names = typeof tool === "string" ? [tool, ...(event.toolNames ?? []), ...spellings(tool)] : [];
    if (tools.length > 0 && !names.some((name) => tools.includes(name))) {
      const which = typeof tool === "string" ? `the tool "${tool}" is not` : "the event has no tool that is";
      return { fits: false, why: `${which} in the filter` };
    }
    if (globs.length === 0) return { fits: true, why: "fits the filter" };
    const paths = pathsOf(event);
    const [first] = paths;
    if (first === undefined) return { fits: false, why: "the event has no path that could fit the filter" };
    // One matching path is enough, because it is unknown which of several paths the tool uses. Otherwise a decoy path
    // would keep the hook from running.
    const fitting = paths.find(({ spellings }) =>
      spellings.some((spelling) => globs.some((glob) => glob.matches(spelling, steps))),
    );
    const { path } = fitting ?? first;
    const fits = fitting !== undefined;
    return { fits, why: `the path "${shown(path)}" ${fits ? "fits" : "does not fit"} the filter` };
  };
  return {
    ok: true,
    filter: { test: (event, steps = UNBOUNDED) => Steps.orDoubt(() => test(event, steps), OUT_OF_STEPS) },
  };
}

const OUT_OF_STEPS = {
  fits: true,
  why: "matching the rules takes too many steps: cannot be decided, so the rule applies",
};

interface SpelledPath {
  readonly path: string;
  readonly spellings: readonly string[];
}

const remembered = new WeakMap<HookEvent, readonly SpelledPath[]>();

/** Returns the paths of an event. All rules share the result. */
function pathsOf(event: HookEvent): readonly SpelledPath[] {
  const known =
    remembered.get(event) ?? readPaths(event).map((path) => ({ path, spellings: spellingsOf(path, event) }));
  remembered.set(event, known);
  return known;
}

function readPaths({ payload }: HookEvent): readonly string[] {
  const input = payload["tool_input"];
  const values = [...(isJsonObject(input) ? [input] : []), payload].flatMap((from) =>
    PATH_FIELDS.map((field) => from[field]),
  );
  return values.filter((value) => typeof value === "string" && value !== "") as string[];
}

/** Returns the spellings of a path: as written, absolute, and relative to the working directory. */
function spellingsOf(path: string, { payload }: HookEvent): readonly string[] {
  const cwd = agentsDirectory(payload);
  const places = workingDirectories(payload).flatMap((directory) => placesOf(path, directory));
  const relative = cwd === undefined ? [] : places.map((place) => posix.relative(folder(cwd), place));
  return [...new Set([...places, ...relative])];
}
