import { validateHeaderName, validateHeaderValue } from "node:http";
import type { McpServer } from "../../rule.ts";

/** Expands `${NAME}` and `${NAME:-DEFAULT}` in the settings of a server, as in `.mcp.json`. */

type FilledServer = { readonly ok: true; readonly server: McpServer } | { readonly ok: false; readonly reason: string };

type Environment = Readonly<Record<string, string | undefined>>;

const VARIABLE = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

/**
 * Expands once. A variable without a value and a default is a failure, because the server would only report an empty
 * key as a refusal. Messages never quote a value.
 */
export function fillServer(server: McpServer, environment: Environment): FilledServer {
  const missing: string[] = [];
  const fill = (text: string): string =>
    text.replace(VARIABLE, (_, name: string, otherwise: string | undefined) => {
      const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
      // An empty variable counts as unset if there is a default, as in a shell.
      if (otherwise !== undefined) return value === undefined || value === "" ? otherwise : value;
      if (value === undefined) missing.push(name);
      return value ?? "";
    });
  const fillValues = (values: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, fill(value)]));
  const filled: McpServer =
    server.kind === "http"
      ? { ...server, url: fill(server.url), headers: fillValues(server.headers) }
      : { ...server, command: fill(server.command), args: server.args.map(fill), env: fillValues(server.env) };
  if (missing.length > 0) return { ok: false, reason: `the variable ${missing[0]} is not set` };
  const problem = filled.kind === "http" ? problemOf(filled) : undefined;
  return problem === undefined ? { ok: true, server: filled } : { ok: false, reason: problem };
}

function problemOf({ url, headers }: Extract<McpServer, { kind: "http" }>): string | undefined {
  if (!URL.canParse(url)) return "its address is no URL";
  const bad = Object.entries(headers).find(([name, value]) => !isHeader(name, value));
  return bad === undefined ? undefined : `the header ${JSON.stringify(bad[0].slice(0, 100))} cannot be sent`;
}

function isHeader(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}
