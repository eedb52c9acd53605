import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { EventName } from "../../../guest-sdk/typescript/events.ts";
import { PROVIDED_GLOBALS } from "../../../guest-sdk/typescript/globals/table.ts";
import { REPLIES, replyRow } from "../../../guest-sdk/typescript/reply-table.ts";

const page = readFileSync(join(import.meta.dirname, "../../../docs/guard-typescript.md"), "utf8");

const code = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(" ");

test("the page lists for each event the possible answers", () => {
  for (const event of Object.keys(REPLIES) as EventName[]) {
    const { no, permits, rewrites, context, stop, fields = [] } = replyRow(event);
    const functions = [
      ...(no === undefined ? [] : ["deny"]),
      ...(permits ? ["ask", "allow"] : []),
      ...(rewrites === undefined ? [] : ["rewrite"]),
      ...(context ? ["context"] : []),
    ];
    expect(page).toContain(`| ${event} | ${code(functions)} | ${code([...(stop ? ["stop"] : []), ...fields])} |`);
  }
});

test("the page names the existing globals", () => {
  for (const name of Object.keys(PROVIDED_GLOBALS)) expect(page).toContain(`\`${name}\``);
});
