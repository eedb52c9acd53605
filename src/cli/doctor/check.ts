/** One line of `hookbox doctor`. */
export interface Check {
  readonly area: Area;
  /** Stable within an area, for programs. */
  readonly id: string;
  readonly status: "ok" | "warning" | "problem";
  readonly text: string;
  /** What the user can do. */
  readonly repair?: string;
}

/** The sections of the report, in their order. */
export const AREAS = {
  machine: "this machine",
  server: "the server",
  settings: "agents' settings",
  rules: "rules in this folder",
  calls: "calls through the installed entry",
  faults: "faults",
} as const;

type Area = keyof typeof AREAS;

type Make = (id: string, text: string, repair?: string) => Check;

/** Returns functions that make the checks of one area. */
export function checksOf(area: Area): Readonly<Record<Check["status"], Make>> {
  const make =
    (status: Check["status"]): Make =>
    (id, text, repair) => ({ area, id, status, text, ...(repair === undefined ? {} : { repair }) });
  return { ok: make("ok"), warning: make("warning"), problem: make("problem") };
}
