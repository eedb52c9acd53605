import { isAbsolute, relative, resolve, sep } from "node:path";
import type { Grants, HostsGrant, PathGrant, StateGrant } from "../../../grants.ts";
import type { JsonObject, JsonValue } from "../../../json.ts";
import { withoutUndefined } from "../../writing.ts";
import { expandHome } from "./expand-home.ts";
import { HOST_BYTES, HOST_CALLS } from "./hosts.ts";
import { STATE_BYTES, STATE_KEYS } from "./read-grants.ts";

/** Writes grants in their shortest form. */

/**
 * Returns grants in the form of a file. `baseDir` is the folder of the file; paths below `baseDir` become relative.
 * Without `baseDir`, every path is absolute.
 */
export function writeGrants(grants: Grants | undefined, baseDir?: string): JsonObject | undefined {
  if (grants === undefined) return undefined;
  const { hosts, paths, state, clock, random, wasi } = grants;
  return withoutUndefined({
    hosts: hosts === undefined ? undefined : hostsOf(hosts),
    paths: paths === undefined ? undefined : pathsOf(paths, baseDir),
    state: state === undefined ? undefined : stateOf(state),
    clock,
    random,
    wasi: wasi === true ? true : undefined,
  });
}

const unless = (usual: number, value: number): number | undefined => (value === usual ? undefined : value);

function hostsOf({ allow, network, maxCalls, responseBytes }: HostsGrant): JsonValue {
  const limits = withoutUndefined({
    allowPrivate: network === "private" ? true : undefined,
    maxCalls: unless(HOST_CALLS.usual, maxCalls),
    maxBytes: unless(HOST_BYTES.usual, responseBytes),
  });
  return Object.keys(limits).length === 0 ? [...allow] : { allow: [...allow], ...limits };
}

function pathsOf(paths: readonly PathGrant[], baseDir: string | undefined): JsonObject {
  return Object.fromEntries(
    paths.map((grant): [string, JsonValue] => {
      const { name, access } = grant;
      const path = isMeant(grant, baseDir) ? grant.written : fromFolder(grant.path, baseDir);
      return [name, access === "write" ? { path, access } : path];
    }),
  );
}

/** Whether the original path means the same file in the new configuration. */
function isMeant(grant: PathGrant, baseDir: string | undefined): grant is PathGrant & { readonly written: string } {
  const path = grant.written === undefined ? undefined : expandHome(grant.written);
  return (
    typeof path === "string" &&
    (isAbsolute(path) || baseDir !== undefined) &&
    resolve(baseDir ?? "", path) === grant.path
  );
}

function fromFolder(path: string, baseDir: string | undefined): string {
  if (baseDir === undefined) return path;
  const way = relative(baseDir, path);
  const isBelow = way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
  return isBelow ? `./${way.replaceAll(sep, "/")}` : path;
}

function stateOf({ maxKeys, maxBytes }: StateGrant): JsonValue {
  const limits = withoutUndefined({
    maxKeys: unless(STATE_KEYS.usual, maxKeys),
    maxBytes: unless(STATE_BYTES.usual, maxBytes),
  });
  return Object.keys(limits).length === 0 ? true : limits;
}
