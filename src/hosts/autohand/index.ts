export { withDefaultHooks } from "./default-hooks.ts";
export { AutohandHost, type AutohandHostOptions, createAutohandHost, type ShutdownKind } from "./host.ts";
export { notificationLine, notificationsFor } from "./notifications.ts";
export type { AutohandTool, AutohandToolHost } from "./tool.ts";
