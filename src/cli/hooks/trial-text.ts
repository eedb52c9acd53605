import { cleanLine, cleanText } from "../../text.ts";
import { formatMicros, painter } from "../paint.ts";
import type { Trial } from "./try-hook.ts";

/** Prints the result of trying a hook. */

const SHOWN = 2_000;

function askedRow(asked: Trial["asked"], row: (name: string, text: string) => string): readonly string[] {
  if (asked === null) return [];
  return [row("asked", `${cleanLine(asked.model)}, ${asked.inputTokens} tokens in, ${asked.outputTokens} out`)];
}

export function trialText(trial: Trial, colour: boolean): string {
  const paint = painter(colour);
  const { verdict } = trial;
  const row = (name: string, text: string): string => `  ${paint("dim", name.padEnd(9))} ${text}`;
  const block = (name: string, text: string | null): string[] => {
    const shown = cleanText(text ?? "", SHOWN).trimEnd();
    return shown === "" ? [] : [row(name, shown.split("\n").join(`\n${" ".repeat(12)}`))];
  };
  const decision = verdict.continue ? verdict.decision : "stop";
  const style = ["deny", "block", "stop"].includes(decision) ? "red" : decision === "none" ? "dim" : "green";
  const lines = [
    row("event", `${cleanLine(trial.event)}${trial.isSample ? " (sample)" : ""}`),
    row("given", cleanLine(trial.payload, SHOWN)),
    ...(trial.exitCode === null ? [] : [row("exit code", String(trial.exitCode))]),
    ...block("output", trial.output),
    ...block("stderr", trial.stderr),
    ...(trial.failure === null ? [] : [row("failure", paint("red", cleanLine(trial.failure)))]),
    ...askedRow(trial.asked, row),
    row("verdict", paint(style, decision === "none" ? "no opinion" : decision)),
    ...block("reason", verdict.continue ? verdict.reason : verdict.stopReason),
    ...block("context", verdict.additionalContext),
    ...(verdict.updatedInput === null ? [] : block("rewrites", JSON.stringify(verdict.updatedInput))),
    row("time", formatMicros(trial.milliseconds * 1_000)),
  ];
  return `${lines.join("\n")}\n`;
}
