import type { Variables } from "../processes/environment.ts";

/** Expands a leading `~`, `$NAME`, `${NAME}` and `${env.NAME}`. Does not expand the values again. */
export function expandPath(text: string, variables: Variables, platform: NodeJS.Platform): string {
  const isWindows = platform === "win32";
  const folded = isWindows
    ? new Map(Object.entries(variables).map(([name, value]) => [name.toUpperCase(), value]))
    : new Map(Object.entries(variables));
  const variable = (name: string): string => folded.get(isWindows ? name.toUpperCase() : name) ?? "";
  const home = (isWindows && variable("USERPROFILE")) || variable("HOME");
  return text.replace(
    /^~(?=$|[/\\])|\$\{(?:env\.)?(\w+)\}|\$(\w+)/g,
    (_, braced: string | undefined, bare: string | undefined) => {
      const name = braced ?? bare;
      return name === undefined ? home : variable(name);
    },
  );
}
