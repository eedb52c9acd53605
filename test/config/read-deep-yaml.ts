import { readDocument } from "../../src/config/document.ts";

/** Runs as a separate process, because its attempts may end the process. Prints the result of each attempt. */
const nested = [
  (depth: number) => "[".repeat(depth) + "]".repeat(depth),
  (depth: number) => "{a: ".repeat(depth) + "}".repeat(depth),
  (depth: number) => `${"- ".repeat(depth)}x`,
  (depth: number) => Array.from({ length: depth }, (_, index) => `${" ".repeat(index)}a:`).join("\n"),
];

for (const nest of nested) {
  for (const depth of [3_000, 3_000, 1_500, 1_000]) {
    const read = await readDocument(nest(depth), "hookbox.yaml");
    process.stdout.write(read.ok ? "read\n" : `${read.problems[0]?.code}\n`);
  }
}
