import { CONFIGURED, protection, SYSTEM, show } from "../paths/protected";
import { deny } from "../verdict";
import { Call } from "./call";
import { same } from "../units";

/** A recursive chmod or chown of a whole system directory locks people out; deeper down it is daily work. */
export function judgePermissions(call: Call): void {
  const name = call.name;
  if (!same(name, "chmod") && !same(name, "chown") && !same(name, "chgrp")) return;
  if (!call.has("--recursive", 0x52)) return;
  // The mode or the owner is among these; it looks like no path that is protected.
  const targets = call.operands();
  for (let i = 0; i < targets.length; i++) {
    const what = protection(targets[i], CONFIGURED | SYSTEM);
    if (what !== null) return deny(`${name} -R of ${what}: ${show(targets[i])}`);
  }
}
