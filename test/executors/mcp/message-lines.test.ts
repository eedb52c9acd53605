import { expect, test } from "vitest";
import { MessageLines } from "../../../src/executors/mcp/message-lines.ts";
import fc from "../../helpers/fc.ts";

function read(limit: number, chunks: readonly Buffer[]): { lines: string[]; tooLong: number[] } {
  const lines: string[] = [];
  const tooLong: number[] = [];
  const reader = new MessageLines(
    limit,
    (line) => lines.push(line.toString()),
    (bytes) => tooLong.push(bytes),
  );
  for (const chunk of chunks) reader.take(chunk);
  return { lines, tooLong };
}

test("lines are complete, wherever the pipe has cut them", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\n", ""))),
      fc.array(fc.nat(40)),
      (expected, cuts) => {
        const all = Buffer.from(expected.map((line) => `${line}\n`).join(""));
        const at = [0, ...cuts.map((cut) => Math.min(cut, all.length)).sort((a, b) => a - b), all.length];
        const chunks = at.slice(1).map((end, index) => all.subarray(at[index], end));
        expect(read(10_000, chunks)).toEqual({ lines: expected, tooLong: [] });
      },
    ),
  );
});

test("a line over the limit is reported once, and nothing after it is read", () => {
  const chunks = ["ok\n", "123456", "789012", "3\nlater\n", "x".repeat(50)].map((text) => Buffer.from(text));
  expect(read(10, chunks)).toEqual({ lines: ["ok"], tooLong: [12] });
  expect(read(10, [Buffer.from("ok\n12345678901\nlater\n")])).toEqual({ lines: ["ok"], tooLong: [11] });
  expect(read(10, [Buffer.from("1234567890\n")])).toEqual({ lines: ["1234567890"], tooLong: [] });
});
