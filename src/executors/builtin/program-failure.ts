import type { ProgramEnding } from "../../processes/run-program.ts";
import { cleanLine } from "../../text.ts";

const MAX_SAID = 200;

/** Returns one line for a note, or `undefined` if the program succeeded. */
export function whyProgramFailed(name: string, ending: ProgramEnding): string | undefined {
  switch (ending.by) {
    case "exit":
      return ending.code === 0 ? undefined : withLastWords(`${name} ended with exit code ${ending.code}`, ending);
    case "signal":
      return withLastWords(`${name} was ended by ${ending.signal}`, ending);
    case "overflow":
      return `${name} wrote more than ${ending.limit} bytes`;
    case "stopped":
      return `${name} was stopped`;
    case "missing":
      return ending.reason;
  }
}

/** Adds the end of the program's output, which usually says why the program failed. */
function withLastWords(what: string, { stdout, stderr }: { readonly stdout: string; readonly stderr: string }): string {
  const said = cleanLine((stderr.trim() === "" ? stdout : stderr).slice(-2 * MAX_SAID)).slice(-MAX_SAID);
  return said === "" ? what : `${what}: ${said}`;
}
