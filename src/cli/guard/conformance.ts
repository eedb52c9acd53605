import { basename, dirname } from "node:path";
import { runConformance } from "../../authoring/conformance/run-conformance.ts";
import { HookError } from "../../errors.ts";
import { readModule } from "../../sandbox/index.ts";
import { cleanLine } from "../../text.ts";
import { asciiJson } from "../ascii-json.ts";
import { EXIT } from "../exit-codes.ts";
import { painter } from "../paint.ts";
import { shownPath } from "../problem-lines.ts";
import type { Console } from "../verb.ts";

const MAX_LENGTH = 400;

/** Tests a module with the test vectors of the guest ABI. Resolves to the exit code. */
export async function testConformance(file: string, json: boolean, console: Console): Promise<number> {
  const module = await readModule(basename(file), dirname(file));
  if ("refused" in module) throw new HookError(module.refused.code, `${file} ${module.refused.message}`);
  const results = await runConformance(module.bytes);
  const failed = results.filter(({ passed }) => !passed);
  if (json) console.write(`${asciiJson({ ok: failed.length === 0, file, results })}\n`);
  else {
    const paint = painter(console.colour);
    const say = (line: string): void => console.write(line === "" ? "\n" : `  ${line}\n`);
    for (const { id, why, sent, came, message } of failed) {
      say(`${paint("red", "FAIL")}  ${cleanLine(id, MAX_LENGTH)}`);
      say(`      requires ${cleanLine(why, MAX_LENGTH)}`);
      if (sent !== "") say(`      sent     ${cleanLine(sent, MAX_LENGTH)}`);
      say(`      got      ${cleanLine(came, MAX_LENGTH)}`);
      if (message !== undefined) say(`      problem  ${cleanLine(message, MAX_LENGTH)}`);
      say("");
    }
    const counts = `${results.length - failed.length} of ${results.length} vectors`;
    say(
      failed.length === 0
        ? `${shownPath(file, console.cwd)} ${paint("green", `follows guest ABI 1: ${counts}`)}`
        : `${shownPath(file, console.cwd)} ${paint("red", `does not follow guest ABI 1: ${counts}`)}`,
    );
  }
  return failed.length === 0 ? EXIT.done : EXIT.problems;
}
