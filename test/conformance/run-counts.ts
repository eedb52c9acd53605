import { readFileSync, writeFileSync } from "node:fs";

/** How often each hook of a case ran: those in this process, and those that write a line to a log. */
export class RunCounts {
  readonly file: string;
  readonly #here: string[] = [];

  constructor(file: string) {
    this.file = file;
    writeFileSync(file, "");
  }

  add(name: string): void {
    this.#here.push(name);
  }

  read(): Record<string, number> {
    const names = [...readFileSync(this.file, "utf8").split("\n").filter(Boolean), ...this.#here];
    const runs: Record<string, number> = {};
    for (const name of names) runs[name] = (runs[name] ?? 0) + 1;
    return runs;
  }
}
