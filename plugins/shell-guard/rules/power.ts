import { deny } from "../verdict";
import { Call } from "./call";
import { isOneOf, same } from "../units";

const OFF: StaticArray<string> = ["shutdown", "reboot", "halt", "poweroff"];

/** Turning the machine off ends everybody's work on it, the agent's own too. */
export function judgePower(call: Call): void {
  const name = call.name;
  const args = call.args;
  if (isOneOf(OFF, name)) {
    if (!args.includes("-c") && !call.has("--help", 0)) deny(`${name} turns the machine off`);
  } else if (same(name, "init") || same(name, "telinit")) {
    if (args.includes("0") || args.includes("6")) deny(`${name} turns the machine off`);
  } else if (same(name, "systemctl")) {
    const operands = call.operands();
    const verb = operands.length > 0 ? operands[0] : "";
    if (isOneOf(OFF, verb) || same(verb, "kexec")) deny(`systemctl ${verb} turns the machine off`);
  }
}
