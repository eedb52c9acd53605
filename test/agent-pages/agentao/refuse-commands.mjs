import { readFileSync } from "node:fs";

const NEVER = [/\bmkfs\b/, /\bdd\b.*\bof=\/dev\//, /\bwget\b.*\|\s*(?:ba)?sh\b/];

const { data } = JSON.parse(readFileSync(0, "utf8"));
const { command } = data.toolInput;
if (NEVER.some((pattern) => pattern.test(command))) {
  console.log(JSON.stringify({ attachment_type: "hook_blocking_error", payload: { message: `never: ${command}` } }));
}
