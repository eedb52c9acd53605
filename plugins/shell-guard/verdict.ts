// What the guard has found so far. A reason to deny outranks a reason to ask, whichever came first.

const SILENT: i32 = 0;
const ASK: i32 = 1;
const DENY: i32 = 2;

let decision: i32 = 0;
let reason: string = "";
let lost: bool = false;
/** Either of the two ends of reading. Asked before each unit that is read, so it is one variable. */
let over: bool = false;

export function noVerdict(): void {
  decision = SILENT;
  reason = "";
  lost = false;
  over = false;
}

export function deny(why: string): void {
  if (decision === DENY) return;
  decision = DENY;
  reason = why;
  over = true;
}

export function ask(why: string): void {
  if (decision !== SILENT) return;
  decision = ASK;
  reason = why;
}

/** The text cannot be followed any further. What is behind this point is unknown, so a person has to look. */
export function giveUp(why: string): void {
  if (lost) return;
  ask(`this command could not be checked: ${why}`);
  lost = true;
  over = true;
}

/** True when reading on cannot change the answer: every reader then sees the end of its text. */
export function stopped(): bool {
  return over;
}

export function hasVerdict(): bool {
  return decision !== SILENT;
}

export function decisionName(): string {
  return decision === DENY ? "deny" : "ask";
}

export function verdictReason(): string {
  return reason;
}
