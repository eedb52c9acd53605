import { join } from "node:path";
import { expect, test } from "vitest";
import type { Grants } from "../../src/grants.ts";
import { openExecutor, runToReply, wasmRule } from "../executors/wasm/wasm-rule.ts";
import { makeFolder } from "../helpers/folders.ts";
import { commandPrinting } from "./wasi-guest.ts";

test.each(["thread", "process"] as const)(
  "rules of one module that alternately run a %s have separate grants",
  async (boundary) => {
    const module = commandPrinting("{}", {
      names: ["path_open", "clock_time_get"],
      // A restored instance has not run it again.
      fields: `(data (i32.const 512) "a") (global $ready (mut i32) (i32.const 0))
      (func (export "_initialize") (global.set $ready (i32.const 1)))`,
      body: `(if (i32.eqz (global.get $ready)) (then (unreachable)))
      (i32.store8 (i32.const 600) (i32.add (i32.const 48) (call $path_open (i32.const 3) (i32.const 0) (i32.const 512)
        (i32.const 1) (i32.const 0) (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 608))))
      (drop (call $clock_time_get (i32.const 0) (i64.const 0) (i32.const 616)))
      (i32.store8 (i32.const 601)
        (i32.add (i32.const 48) (i64.gt_u (i64.load (i32.const 616)) (i64.const 1000000000000000000))))
      (i32.store (i32.const 0) (i32.const 600)) (i32.store (i32.const 4) (i32.const 2))
      (drop (call $fd_write (i32.const 2) (i32.const 0) (i32.const 1) (i32.const 8)))`,
    });
    const path = join(makeFolder({ a: "x" }), "a");
    const paths = [{ name: "a", path, access: "read" } as const];
    const ruleWith = (more: Grants) =>
      wasmRule(module, { handler: { function: "_start", grants: { wasi: true, ...more } } });
    const rules = [ruleWith({ paths }), ruleWith({}), ruleWith({ clock: "real" }), ruleWith({ paths, clock: "real" })];
    const own = openExecutor({ boundary });
    for (const rule of rules) await own.prepare(rule);
    const heard: (readonly string[] | undefined)[] = [];
    for (const rule of [...rules, ...rules]) heard.push((await runToReply(rule, { executor: own })).receipt.log);
    // 8 is EBADF: there is no folder of granted files.
    const expected = ["00", "80", "81", "01"].map((word) => [`warn: ${word}`]);
    expect(heard).toEqual([...expected, ...expected]);
  },
);
