import type { BuiltinHook } from "./builtin.ts";

/** Our own hooks by name. Each is loaded with the first rule that names it. */
export const HOOKS: Readonly<Record<string, () => Promise<BuiltinHook>>> = {
  add_date: async () => (await import("./add-date.ts")).addDate,
  "auto-format": async () => (await import("./auto-format.ts")).autoFormat,
  "git-auto-stage": async () => (await import("./git-auto-stage.ts")).gitAutoStage,
  "log-file-modified": async () => (await import("./log-line.ts")).logLine,
  "log-session-end": async () => (await import("./log-line.ts")).logLine,
  "log-session-start": async () => (await import("./log-line.ts")).logLine,
  "log-stop": async () => (await import("./log-line.ts")).logLine,
  "slack-notify": async () => (await import("./slack-notify.ts")).slackNotify,
  "smart-commit": async () => (await import("./smart-commit.ts")).smartCommit,
  snapshot: async () => (await import("./snapshot/snapshot.ts")).snapshot,
  "sound-alert": async () => (await import("./sound-alert.ts")).soundAlert,
};
