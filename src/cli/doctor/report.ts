import { environmentHome } from "../../project-folder.ts";
import { redactSecrets } from "../../secrets/redact.ts";
import { cleanLine } from "../../text.ts";
import { type Paint, painter, type Style } from "../paint.ts";
import { AREAS, type Check } from "./check.ts";

/** The texts of `hookbox doctor`. They can be part of a public report: without secrets, and with `~` for the home. */

const MARKS = { ok: "ok     ", warning: "warning", problem: "problem" } as const;
const STYLES: Readonly<Record<Check["status"], Style>> = { ok: "green", warning: "yellow", problem: "red" };

/** Replaces the home folder and removes secrets. */
function publicText(text: string): string {
  const home = environmentHome();
  const short = home === undefined || home === "/" ? text : text.replaceAll(`${home}/`, "~/");
  return cleanLine(redactSecrets(short), 1_000);
}

/** Prints one check at a time, so that a slow check does not hide the earlier ones. */
export class Report {
  readonly #write: (text: string) => void;
  readonly #paint: Paint;
  #area: Check["area"] | undefined;
  readonly checks: Check[] = [];

  constructor(write: (text: string) => void, colour: boolean) {
    this.#write = write;
    this.#paint = painter(colour);
  }

  add(all: readonly Check[]): void {
    for (const one of all) {
      const repair = one.repair === undefined ? {} : { repair: publicText(one.repair) };
      const check = { ...one, text: publicText(one.text), ...repair };
      this.checks.push(check);
      this.#write(this.#lineOf(check));
    }
  }

  #lineOf({ area, status, text, repair }: Check): string {
    const head = area === this.#area ? "" : `\n${this.#paint("bold", AREAS[area])}\n`;
    this.#area = area;
    const mark = this.#paint(STYLES[status], MARKS[status]);
    const more = repair === undefined ? "" : `           ${this.#paint("cyan", `-> ${repair}`)}\n`;
    return `${head}  ${mark}  ${text}\n${more}`;
  }

  get isHealthy(): boolean {
    return this.#count("problem") === 0;
  }

  #count(status: Check["status"]): number {
    return this.checks.filter((one) => one.status === status).length;
  }

  end(): void {
    const [problems, warnings] = [this.#count("problem"), this.#count("warning")];
    const of = (number: number, word: string): string => `${number} ${word}${number === 1 ? "" : "s"}`;
    const text = `${this.#count("ok")} ok, ${of(warnings, "warning")}, ${of(problems, "problem")}`;
    this.#write(`\n${this.#paint(problems > 0 ? "red" : warnings > 0 ? "yellow" : "green", text)}\n`);
  }
}

/** Removes what each refusal without a judgement says, and keeps its code and its reason. */
export function withoutPreamble(text: string): string {
  return text
    .replace(/hookbox could not judge this call, so the call is refused\. No rule has refused it\. /, "")
    .replace(/\. Run: hookbox doctor$/, "");
}
