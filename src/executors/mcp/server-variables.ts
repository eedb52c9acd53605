import type { McpServer } from "../../rule.ts";

/** `${NAME}` and `${NAME:-default}` in what a configuration says of a server, as `.mcp.json` has them. */

type Variables = Readonly<Record<string, string | undefined>>;

export type FilledServer =
  | { readonly ok: true; readonly server: McpServer }
  /** The variable that is not set, and has no default. */
  | { readonly ok: false; readonly missing: string };

/**
 * Filled in when the server is needed and never before: what a variable says is nothing to keep with rules. A file that
 * may come with a repository has no such text; it does not load.
 */
export function fillVariables(server: McpServer, variables: Variables): FilledServer {
  const missing: string[] = [];
  const fill = (text: string): string =>
    text.replace(/\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (_, name: string, usual: string | undefined) => {
      const value = variables[name];
      // As in a shell: what is empty counts as unset where there is a default.
      if (usual !== undefined) return value === undefined || value === "" ? usual : value;
      if (value === undefined) missing.push(name);
      return value ?? "";
    });
  const fillAll = (texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, fill(text)]));
  const filled: McpServer =
    server.kind === "stdio"
      ? { ...server, command: fill(server.command), args: server.args.map(fill), env: fillAll(server.env) }
      : { ...server, url: fill(server.url), headers: fillAll(server.headers) };
  const [first] = missing;
  return first === undefined ? { ok: true, server: filled } : { ok: false, missing: first };
}
