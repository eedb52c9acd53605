import type { NoEditing } from "../editing.ts";

export const openclawEditing: NoEditing = {
  reason: "OpenClaw's hooks are functions that plugins register in code; no file lists them",
  hint: "change the plugin, or switch the plugin off where OpenClaw is configured",
};
