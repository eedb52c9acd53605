import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildGuard } from "../../src/authoring/build.ts";
import { compileC } from "../../src/authoring/c/compile.ts";
import { compileRust } from "../../src/authoring/rust/compile.ts";
import { callGuard } from "../plugins/bare-host.ts";
import { type BareWorld, bareWorld } from "./bare-world.ts";
import { copyRustExample, noCargo, noClang, useCargo } from "./toolchains.ts";

const folder = mkdtempSync(path.join(tmpdir(), "hookbox-functions-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
useCargo();

/** Calls each function once, and prints the results, one on a line. */
const RUST = `use hookbox_guest::{clock, files, guard, http::Request, random, state, Context, Error, Event, Reply};
use std::time::UNIX_EPOCH;

fn probe(_: Event, _: &Context) -> Result<Reply, Error> {
    let mut said = Vec::new();
    said.push(format!("{:?}", state::get_text("text")?.as_deref().unwrap_or("nothing")));
    said.push(format!("{:?}", state::get_text("absent")?.as_deref().unwrap_or("nothing")));
    state::set_text("text", "é\\u{0}");
    state::set_bytes("empty", b"");
    state::remove("gone");
    said.push(state::increment("count", -7)?.to_string());
    said.push(state::get::<i64>("count")?.unwrap_or(0).to_string());
    let file = files::read("a.bin").unwrap_or_default();
    said.push(file.len().to_string());
    said.push(files::read("b.bin").is_none().to_string());
    files::write("out/c.txt", "1234567890");
    let request = Request::post("https://example.com/é").header("X-Key", "\\"k\\"").body("question");
    let response = request.send()?;
    said.push(format!("{} {:?} {}", response.status, response.header("X-Answer").unwrap_or(""), response.text()?));
    let empty = Request::get("https://example.com/empty").send()?;
    said.push(format!("{} {}", empty.status, empty.body.len()));
    said.push(Request::get("https://example.com/away").send().is_err().to_string());
    said.push(clock::now_ms().to_string());
    assert_eq!(clock::now().duration_since(UNIX_EPOCH)?.as_millis() as u64, clock::now_ms());
    said.push(random::u64().to_string());
    said.push(random::below(10).to_string());
    said.push(random::below(u32::MAX).to_string());
    let mut bytes = [0; 11];
    random::fill(&mut bytes);
    said.push(bytes.map(|byte| byte.to_string()).join(" "));
    Ok(Reply::deny(said.join("\\n")))
}

guard!(probe);
`;

const C = `#include "hookbox.h"

static hb_writer said;
static void say(hb_text text) { hb_write(&said, text); hb_write(&said, HB("\\n")); }
static void say_number(int64_t number) { say(hb_decimal(number)); }
static void say_bool(bool is) { say(is ? HB("true") : HB("false")); }
static void say_kept(hb_text key) {
  hb_text value = HB("nothing");
  hb_state_get(key, &value);
  say(hb_quoted(value));
}

static hb_reply probe(const hb_json *event) {
  (void)event;
  hb_text text;
  hb_response response;
  said = (hb_writer){0};
  say_kept(HB("text"));
  say_kept(HB("absent"));
  hb_state_set(HB("text"), HB("é\\0"));
  hb_state_set(HB("empty"), HB(""));
  hb_state_remove(HB("gone"));
  say_number(hb_state_increment(HB("count"), -7));
  say_number(hb_state_increment(HB("count"), 0));
  text = HB("");
  hb_file_read(HB("a.bin"), &text);
  say_number((int64_t)text.length);
  say_bool(!hb_file_read(HB("b.bin"), &text));
  hb_file_write(HB("out/c.txt"), HB("1234567890"));
  hb_request request = hb_request_to(HB("POST"), HB("https://example.com/é"));
  hb_request_header(&request, HB("x-key"), HB("\\"k\\""));
  request.body = HB("question");
  if (!hb_send(&request, &response)) return hb_fail(HB("nobody answered"));
  hb_text answer = HB("");
  hb_as_text(hb_path(response.headers, "x-answer"), &answer);
  say(hb_join(hb_decimal(response.status), HB(" "), hb_quoted(answer), HB(" "), response.body));
  request = hb_request_to(HB("GET"), HB("https://example.com/empty"));
  hb_send(&request, &response);
  say(hb_join(hb_decimal(response.status), HB(" "), hb_decimal((int64_t)response.body.length)));
  request = hb_request_to(HB("GET"), HB("https://example.com/away"));
  say_bool(!hb_send(&request, &response));
  say_number((int64_t)hb_now_ms());
  say_number((int64_t)hb_random());
  say_number(hb_random_below(10));
  say_number(hb_random_below(UINT32_MAX));
  unsigned char bytes[11];
  hb_random_fill(bytes, sizeof bytes);
  for (size_t at = 0; at < sizeof bytes; at += 1) {
    if (at > 0) hb_write(&said, HB(" "));
    hb_write(&said, hb_decimal(bytes[at]));
  }
  return hb_deny(hb_written(&said));
}

HB_GUARD(probe)
`;

function cFolder(name: string, source: string, manifest: object = {}): string {
  const made = path.join(folder, name);
  mkdirSync(made);
  writeFileSync(path.join(made, "guard.c"), source);
  writeFileSync(path.join(made, "manifest.json"), JSON.stringify({ name, version: "1", abi: 1, ...manifest }));
  return made;
}

const builds: Readonly<Record<string, () => Promise<Uint8Array<ArrayBuffer>>>> = {
  ...(noClang === "" ? { c: () => compileC(cFolder("probe", C)) } : {}),
  ...(noCargo === ""
    ? {
        rust: () => {
          const crate = copyRustExample(path.join(folder, "rust-probe"), "functions-probe");
          writeFileSync(path.join(crate, "guard.rs"), RUST);
          return compileRust(crate);
        },
      }
    : {}),
};
const names = Object.keys(builds);

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const EVENT = JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "Bash" });

function makeWorld(state: Readonly<Record<string, string>> = {}) {
  return {
    state: new Map(
      Object.entries({ text: "as it was", gone: "x", count: "3", ...state }).map(([k, v]) => [k, bytes(v)]),
    ),
    files: { "a.bin": "0123456789é" },
    written: new Map<string, Uint8Array>(),
    requests: [] as { readonly terms: unknown; readonly body: string | undefined }[],
    http: [
      {
        method: "POST",
        url: "https://example.com/é",
        status: 503,
        headers: { "x-answer": 'a "header"' },
        body: "answer",
      },
      { url: "https://example.com/empty", status: 204 },
    ],
    nowMs: 1_795_000_000_123,
    random: [123_456_789n, 2n ** 63n, 2n ** 64n - 1n, 0x0807_0605_0403_0201n, 0xff0b_0a09n],
  } satisfies BareWorld;
}

describe(`the functions for grants in ${names.join(", ")}${noClang}${noCargo}`, { timeout: 300_000 }, () => {
  const modules = new Map<string, WebAssembly.Module>();
  beforeAll(async () => {
    for (const [name, build] of Object.entries(builds)) modules.set(name, new WebAssembly.Module(await build()));
  }, 300_000);

  const ask = (name: string, world: BareWorld) => {
    const module = modules.get(name);
    if (module === undefined) throw new Error(`no guard in ${name}`);
    return callGuard(module, EVENT, {}, bareWorld(world));
  };

  test.each(names)("do in %s the same as the host's functions", (name) => {
    const world = makeWorld();
    const { output, error } = ask(name, world);
    expect(error).toBeUndefined();
    expect(JSON.parse(output ?? "").hookSpecificOutput.permissionDecisionReason.split("\n")).toEqual([
      '"as it was"',
      '"nothing"',
      "-4",
      "-4",
      "12",
      "true",
      '503 "a \\"header\\"" answer',
      "204 0",
      "true",
      "1795000000123",
      "123456789",
      "5",
      "4294967294",
      "1 2 3 4 5 6 7 8 9 10 11",
    ]);
    const kept = Object.fromEntries([...world.state].map(([key, value]) => [key, new TextDecoder().decode(value)]));
    expect(kept).toEqual({ text: "é\0", empty: "", count: "-4" });
    expect([...world.written]).toEqual([["out/c.txt", bytes("1234567890")]]);
    expect(world.requests).toEqual([
      { terms: { method: "POST", url: "https://example.com/é", headers: { "x-key": '"k"' } }, body: "question" },
      { terms: { method: "GET", url: "https://example.com/empty", headers: {} }, body: undefined },
      { terms: { method: "GET", url: "https://example.com/away", headers: {} }, body: undefined },
    ]);
  });

  test.each(names)("fail in %s if a counter is invalid, or overflows", (name) => {
    for (const count of [
      "",
      "x",
      "1.5",
      "1e3",
      "[1]",
      "9007199254740999",
      "-9007199254740991",
      "99999999999999999999",
    ]) {
      const { code, error } = ask(name, makeWorld({ count }));
      expect([code, error], count).toEqual([1, expect.stringMatching(/^state "?count"?: /)]);
    }
  });
});

test.skipIf(noClang !== "")("a build names the function that the manifest does not declare", async () => {
  const source = `#include "hookbox.h"
static hb_reply guard(const hb_json *event) { (void)event; hb_state_remove(HB("x")); return hb_abstain(); }
HB_GUARD(guard)
`;
  await expect(buildGuard(cFolder("greedy", source))).rejects.toMatchObject({
    code: "HOOK_MODULE_IMPORT",
    message: expect.stringContaining('var_set: needs a grant of "state"'),
  });
  expect((await buildGuard(cFolder("frank", source, { wants: ["state"] }))).inspection.capabilities).toEqual(["state"]);
});
