import type { JsonObject } from "../../json.ts";
import type { admission } from "../../sandbox/index.ts";
import { type ConformanceVector, inputOf, joined, type WorldChange } from "./vectors.ts";

/** One call of a guard. `config` has the texts that the guard reads. */
export interface Ask {
  readonly eventName: string;
  readonly input: Uint8Array;
  readonly config: Readonly<Record<string, string>>;
  readonly given: World;
}

type World = NonNullable<admission.Fixture["given"]>;

/**
 * Returns the calls of a guard's own tests, each with its `given` changed by the vector. Skips tests without `given`.
 */
export function asksOf({ ownTests = {} }: ConformanceVector, fixtures: readonly admission.Fixture[]): readonly Ask[] {
  return fixtures.flatMap(({ event, config = {}, given }) => {
    if (given === undefined) return [];
    const input = inputOf({ event: { ...event, ...SENT } as JsonObject });
    const eventName = event.hook_event_name;
    return [{ eventName, input, config: textsOf(config), given: changed(given, ownTests) }];
  });
}

/** The fields that this host adds to each event. */
const SENT = { abi: 1, dialect: "hookbox" };

/** Returns the values of a config as the guard reads them: strings unchanged, other values as JSON. */
export function textsOf(config: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => [key, typeof value === "string" ? value : JSON.stringify(value)]),
  );
}

function changed(world: World, { given, everyText, everyStatus, nowMs }: WorldChange): World {
  if (given === "nothing") return {};
  const text = everyText === undefined ? undefined : new TextDecoder().decode(joined(everyText));
  const { state, files, http } = world;
  return {
    ...world,
    ...(state === undefined || text === undefined ? {} : { state: withValues(state, text) }),
    ...(files === undefined || text === undefined ? {} : { files: withValues(files, text) }),
    ...(http === undefined
      ? {}
      : {
          http: http.map((answer) => ({
            ...answer,
            ...(text === undefined ? {} : { body: text }),
            ...(everyStatus === undefined ? {} : { status: everyStatus }),
          })),
        }),
    ...(nowMs === undefined ? {} : { nowMs }),
  };
}

function withValues(texts: Readonly<Record<string, string>>, text: string): Record<string, string> {
  return Object.fromEntries(Object.keys(texts).map((key) => [key, text]));
}
