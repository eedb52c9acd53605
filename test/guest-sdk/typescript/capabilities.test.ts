import { describe, expect, test } from "vitest";
import type { Grant } from "../../../guest-sdk/typescript/capabilities/capabilities.ts";
import { type Capabilities, defineGuard, HttpError } from "../../../guest-sdk/typescript/index.ts";
import fc from "../../helpers/fc.ts";
import { install, makeHost, type TestHost } from "./installed-guard.ts";

/** What a guard sees of its grants, in Node, with a host that only records. */

const GRANTS = ["state", "hosts", "paths", "clock", "random"] as const satisfies readonly Grant[];

/** Returns the result of `use`, called with the context of a guard that wants everything. */
function using<Value>(host: TestHost, use: (context: Capabilities) => Value): Value {
  let value: Value | undefined;
  const guard = defineGuard({
    name: "uses",
    version: "1",
    events: ["Stop"],
    wants: GRANTS,
    handle(_event, context) {
      value = use(context);
    },
  });
  install(guard, host).handle({ hook_event_name: "Stop" });
  return value as Value;
}

describe("a member of the context", () => {
  test.each([
    ["state", "state"],
    ["hosts", "http"],
    ["paths", "files"],
    ["clock", "clock"],
    ["random", "random"],
  ] as const)("that the guard does not want says so: %s is context.%s", (grant, member) => {
    const guard = defineGuard({
      name: "lacks",
      version: "1",
      events: ["Stop"],
      wants: GRANTS.filter((one) => one !== grant),
      handle: (_event, context) => void (context as unknown as Record<string, unknown>)[member],
    });
    expect(() => install(guard).handle({ hook_event_name: "Stop" })).toThrow(
      `context.${member} is available only to guards with wants: ["${grant}"]`,
    );
  });

  test("cannot be replaced", () => {
    expect(() => using(makeHost(), ({ state }) => Object.assign(state, { get: () => "mine" }))).toThrow(TypeError);
  });
});

describe("state", () => {
  test("counts from 0, by 1 or by more, up and down", () => {
    const host = makeHost();
    const counts = using(host, ({ state }) => [
      state.increment("n"),
      state.increment("n", 5),
      state.increment("n", -2),
      state.increment("other", 0),
    ]);
    expect(counts).toEqual([1, 6, 4, 0]);
    expect(Object.fromEntries(host.vars)).toEqual({ n: "4", other: "0" });
  });

  test.each(["", " ", "many", "1.5", "9007199254740991", "NaN", "Infinity"])("does not count from %j", (text) => {
    const host = makeHost();
    host.vars.set("n", text);
    // A sum that is not a number would be within every limit.
    expect(() => using(host, ({ state }) => state.increment("n"))).toThrow(
      `state: "n" is ${JSON.stringify(text)}, and 1 cannot be added to it`,
    );
    expect(host.vars.get("n")).toBe(text);
  });

  test("does not count by a value that is not a whole number", () => {
    for (const by of [0.5, Number.NaN, Number.POSITIVE_INFINITY, "1" as never]) {
      expect(() => using(makeHost(), ({ state }) => state.increment("n", by))).toThrow("cannot be added");
    }
  });
});

describe("http", () => {
  const URL = "https://policy.example.com/v1";
  const answering = (body: string, status = 200, headers = "{}"): TestHost => {
    const host = makeHost();
    host.answers.set(URL, { status, headers, body });
    return host;
  };

  test("sends what it is given, and GET for a URL alone", () => {
    const host = answering("ok");
    using(host, ({ http }) => {
      http.request({ url: URL });
      http.request({ url: URL, method: "post", headers: { "x-a": "1" }, body: "größe" });
    });
    expect(host.requests).toEqual([
      [{ url: URL, method: "GET", headers: {} }, undefined],
      [{ url: URL, method: "POST", headers: { "x-a": "1" } }, "größe"],
    ]);
  });

  test("gives status, headers, text and JSON of the answer", () => {
    const host = answering('{"allow":true}', 201, '{"content-type":"application/json"}');
    const seen = using(host, ({ http }) => {
      const answer = http.request({ url: URL });
      return [answer.status, answer.ok, answer.headers["content-type"], answer.text(), answer.json()];
    });
    expect(seen).toEqual([201, true, "application/json", '{"allow":true}', { allow: true }]);
  });

  test.each([
    [199, false],
    [200, true],
    [299, true],
    [300, false],
    [404, false],
  ])("treats status %d as %s", (status, ok) => {
    expect(using(answering("", status), ({ http }) => http.request({ url: URL }).ok)).toBe(ok);
  });

  test("throws an HttpError if no server answers, and if an answer is not JSON", () => {
    const asking = (host: TestHost): unknown => using(host, ({ http }) => http.request({ url: URL }).json());
    expect(() => asking(makeHost())).toThrow(new HttpError(`GET ${URL}: there was no answer`));
    expect(() => asking(answering("<html>"))).toThrow(new HttpError(`GET ${URL}: the answer is not JSON`));
  });

  test.each<[unknown, string]>([
    [URL, "http: request expects { url, … }, got a string"],
    [undefined, "http: request expects { url, … }, got nothing"],
    [{}, "http: the url must be a string, got nothing"],
    [{ url: URL, data: "x" }, "http: there is no field data; the fields are url, method, headers, body"],
    [{ url: URL, method: 5 }, "http: the method must be a string, got a number"],
    [{ url: URL, body: { a: 1 } }, "http: the body must be a string, got an object"],
    [{ url: URL, headers: { "x-a": 1 } }, "http: the header x-a must be a string, got a number"],
  ])("sends nothing for %j", (request, message) => {
    const host = answering("");
    expect(() => using(host, ({ http }) => http.request(request as never))).toThrow(message);
    expect(host.requests).toEqual([]);
  });
});

describe("files", () => {
  test("are read and written by name; a missing file is undefined", () => {
    const host = makeHost();
    host.files.set("policy.json", "{}");
    const seen = using(host, ({ files }) => {
      files.write("cache/last", "5");
      return [files.read("policy.json"), files.read("other")];
    });
    expect(seen).toEqual(["{}", undefined]);
    expect(host.files.get("cache/last")).toBe("5");
  });

  test("have names and contents that are texts", () => {
    const host = makeHost();
    expect(() => using(host, ({ files }) => files.read(5 as never))).toThrow("files: the path must be a string");
    expect(() => using(host, ({ files }) => files.write("a", {} as never))).toThrow(
      "files: the content must be a string",
    );
  });
});

test("the clock gives the host's time as a new Date", () => {
  const [one, other] = using(makeHost(), ({ clock }) => [clock.now(), clock.now()]);
  expect(one?.toISOString()).toBe("2026-11-27T18:30:00.000Z");
  expect(one).not.toBe(other);
});

describe("random", () => {
  const drawing = <Value>(draws: readonly number[], use: (random: Capabilities["random"]) => Value): Value => {
    const host = makeHost();
    host.draws.push(...draws);
    return using(host, ({ random }) => use(random));
  };

  test("gives whole numbers below a limit, and all of them", () => {
    const most = 1 - 2 ** -53;
    const draws = fc.double({ min: 0, max: most, noNaN: true });
    const isWholeAndBelow = (below: number, draw: number): boolean => {
      const value = drawing([draw], (random) => random.int(below));
      return Number.isInteger(value) && value >= 0 && value < below;
    };
    fc.assert(fc.property(fc.integer({ min: 1, max: 2 ** 32 }), draws, isWholeAndBelow));
    expect(drawing([0, most], (random) => [random.int(6), random.int(6)])).toEqual([0, 5]);
    expect(drawing([0.25], (random) => random.next())).toBe(0.25);
  });

  test("gives bytes", () => {
    expect(drawing([0, 0.5, 1 - 2 ** -53], (random) => random.bytes(3))).toEqual(Uint8Array.of(0, 128, 255));
    expect(drawing([], (random) => random.bytes(0))).toEqual(new Uint8Array());
  });

  test.each([0, -1, 1.5, Number.NaN, 2 ** 33, "6"])("rejects %j as a limit", (below) => {
    expect(() => drawing([], (random) => random.int(below as number))).toThrow("random: int expects a whole number");
  });

  test.each([-1, 1.5, Number.NaN])("rejects %d bytes", (count) => {
    expect(() => drawing([], (random) => random.bytes(count))).toThrow("random: bytes expects a whole number");
  });
});
