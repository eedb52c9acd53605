import { resolve } from "node:path";
import { z } from "zod";
import { isJsonObject } from "../json.ts";
import { type Layer, mayComeWithRepository } from "../layer-trust.ts";
import type { McpServer } from "../rule.ts";
import type { HandlerProblem } from "./handler-format.ts";
import { askedTooMuch, networkFor } from "./web-hook-network.ts";

/** Reads `mcpServers` of a configuration. */

const variables = z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string());

const STDIO_SERVER = {
  type: z.literal("stdio").exactOptional(),
  command: z.string().min(1),
  args: z.array(z.string()).exactOptional(),
  env: variables.exactOptional(),
} as const;

const HTTP_SERVER = {
  type: z.literal("http"),
  url: z.string().regex(/^https?:\/\//i, "must begin with http:// or https://"),
  headers: z.record(z.string(), z.string()).exactOptional(),
} as const;

/** The shapes in hookbox's own format. */
export const OWN_STDIO_SERVER = { ...STDIO_SERVER, workingDir: z.string().min(1).exactOptional() } as const;
export const OWN_HTTP_SERVER = { ...HTTP_SERVER, allowPrivate: z.boolean().exactOptional() } as const;

type Written =
  | z.infer<z.ZodObject<typeof OWN_STDIO_SERVER>>
  | (z.infer<z.ZodObject<typeof OWN_HTTP_SERVER>> & { readonly command?: never });

/** Whether the value is checked as an HTTP server. If not, it is checked as a stdio server. */
export function isHttpServer(value: unknown): boolean {
  return isJsonObject(value) && (value["type"] === "http" || (value["type"] === undefined && "url" in value));
}

export interface FileOrigin {
  readonly layer: Layer;
  /** The folder of the file, in which its servers start. */
  readonly baseDir: string;
}

/** Converts a valid server definition to a server, or returns why the file may not define this server. */
export function toServer(written: unknown, { layer, baseDir }: FileOrigin): McpServer | HandlerProblem {
  const server = written as Written;
  const http = server.type === "http" ? server : undefined;
  const tooMuch = http === undefined ? undefined : askedTooMuch(layer, http);
  if (tooMuch !== undefined) return tooMuch;
  const key = mayComeWithRepository(layer) ? keyWithVariable(server) : undefined;
  if (key !== undefined) {
    const message = "a file that may come with a repository cannot pass your environment variables to a server";
    const hint = "define the server in your own configuration: ~/.config/hookbox/hookbox.json";
    return { refused: { code: "HOOK_CONFIG_TRUST", key, message, hint } };
  }
  if (http !== undefined) {
    const network = networkFor(layer, http.allowPrivate === true);
    return { kind: "http", url: http.url, headers: http.headers ?? {}, network };
  }
  const { command, args = [], env = {}, workingDir = "." } = server as z.infer<z.ZodObject<typeof OWN_STDIO_SERVER>>;
  return { kind: "stdio", command, args, env, workingDir: resolve(baseDir, workingDir) };
}

/** Matches `${NAME}` and `${NAME:-default}`, as in `.mcp.json`. */
const VARIABLE = /\$\{[A-Za-z_]\w*(?::-[^}]*)?\}/;

function keyWithVariable(server: Written): string | undefined {
  return Object.entries(server).find(([, value]) => textsOf(value).some((text) => VARIABLE.test(text)))?.[0];
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}
