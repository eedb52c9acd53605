import { readFile } from "node:fs/promises";
import { hostname, userInfo } from "node:os";
import { cleanLine } from "../../text.ts";
import { addText, type BuiltinHook } from "./builtin.ts";

const MAX_NAME = 200;

/** Adds the user's name and the machine's name. */
export const addUserInfo: BuiltinHook = {
  run: async ({ env }) => {
    const { name, uid } = whoAmI(env["USER"] ?? env["USERNAME"]);
    const fullName = uid < 0 ? undefined : fullNameIn(await readFile("/etc/passwd", "utf8").catch(() => ""), uid);
    const user = fullName === undefined || fullName === name ? name : `${name} (${fullName})`;
    return addText(`User: ${cleanLine(user, MAX_NAME)}\nHostname: ${cleanLine(hostname(), MAX_NAME)}`);
  },
};

/** Returns the user's names. In many containers the user has a number but no name. */
function whoAmI(fallback: string | undefined): { readonly name: string; readonly uid: number } {
  try {
    const { username, uid } = userInfo();
    return { name: username, uid };
  } catch {
    const uid = process.getuid?.() ?? -1;
    return { name: fallback ?? String(uid), uid };
  }
}

/** Returns the user's full name: the start of the fifth field in `/etc/passwd`. `undefined`: there is none. */
export function fullNameIn(passwords: string, uid: number): string | undefined {
  const line = passwords.split("\n").find((one) => one.split(":")[2] === String(uid));
  const [fullName = ""] = line?.split(":")[4]?.split(",") ?? [];
  return fullName.trim() === "" ? undefined : fullName.trim();
}
