import { GRANTABLE } from "../../../src/sandbox/grants/grants.ts";
import { HOST_FUNCTIONS, hostFunction, OWN_FUNCTIONS } from "../../../src/sandbox/guest/guest-abi.ts";
import { WASI_FUNCTIONS } from "../../../src/sandbox/guest/wasi/wasi-abi.ts";
import { withManifest } from "../../helpers/guests.ts";
import type { Attack } from "../attacks.ts";
import { reach } from "./reach.ts";
import { OTHER_NAMESPACES, swallows } from "./reaching-guest.ts";
import type { World } from "./world.ts";

/** Attacks through other names of the same functions, and through a manifest that claims a grant. */

const EVERYTHING = ({ origin, granted }: World): object => ({
  hosts: { allow: [origin], allowPrivate: true },
  paths: { policy: { path: granted.file, access: "write" } },
  state: true,
  clock: "real",
  random: "real",
  wasi: true,
});

const FUNCTIONS = { ...HOST_FUNCTIONS, ...OWN_FUNCTIONS, ...WASI_FUNCTIONS };
type Name = keyof typeof FUNCTIONS;

const ABSENT = Object.keys(FUNCTIONS).filter(
  (name) => hostFunction({ module: OTHER_NAMESPACES.absent, name }) !== undefined,
) as readonly Name[];

/** Calls the function with zeros as arguments, and drops the result. */
function call(name: Name): string {
  const { params, results } = FUNCTIONS[name];
  const code = `(call $${name} ${params.map((type) => `(${type}.const 0)`).join(" ")})`;
  return results.length === 0 ? code : `(drop ${code})`;
}

const dashed = (name: string): string => name.replaceAll("_", "-");

const LINKED = ["http_request", "http_status_code", "http_headers"] as const;
const OF_WASI = ["fd_write", "path_open", "random_get"] as const;

export const ABSENT_ATTACKS: readonly Attack[] = [
  // Every guard may import these, whatever it was granted; none may call them.
  ...ABSENT.flatMap((name) =>
    reach(EVERYTHING, `calls-the-absent-${dashed(name)}`, { kind: "capability" }, () => swallows(call(name)), {
      namespace: OTHER_NAMESPACES.absent,
      ungranted: null,
    }),
  ),
  // Admission links them from this namespace. A guard that imports them directly has not gone through admission.
  ...LINKED.flatMap((name) =>
    reach(
      EVERYTHING,
      `imports-${dashed(name)}-from-where-it-is-linked`,
      { kind: "capability", code: "HOOK_MODULE_IMPORT" },
      () => swallows(call(name)),
      { namespace: OTHER_NAMESPACES.own },
    ),
  ),
  ...OF_WASI.flatMap((name) =>
    reach(
      EVERYTHING,
      `imports-${dashed(name)}-from-where-it-is-linked`,
      { kind: "capability", code: "HOOK_MODULE_IMPORT" },
      () => swallows(call(name)),
      { namespace: OTHER_NAMESPACES.linkedWasi },
    ),
  ),
  ...(["wasi_unstable", "wasi_snapshot_preview2", "env"] as const).flatMap((namespace) =>
    reach(
      EVERYTHING,
      `imports-fd-write-from-${dashed(namespace)}`,
      { kind: "capability", code: "HOOK_MODULE_IMPORT" },
      () => swallows(call("fd_write")),
      { namespace },
    ),
  ),
  // Each with a manifest that claims every grant.
  ...(["http_request", "file_read", "var_get", "clock_now", "random_bits", "fd_write"] as const).flatMap((name) =>
    reach(
      () => ({ [other(name)]: other(name) === "clock" ? "fixed" : true }),
      `grants-itself-${dashed(name)}`,
      { kind: "capability", code: "HOOK_MODULE_IMPORT" },
      () => swallows(call(name)),
      {
        wrap: (module) =>
          withManifest(module, {
            name: "grants-itself",
            abi: 1,
            wants: [...GRANTABLE],
            grants: { hosts: ["*"], paths: ["/"], state: true, clock: "real", random: "real", wasi: true },
            allowed_hosts: ["*"],
            allowed_paths: { "/": "/" },
          }),
      },
    ),
  ),
];

/** A grant other than the one that the function needs. */
function other(name: Name): "state" | "clock" {
  return FUNCTIONS[name].capability === "state" ? "clock" : "state";
}
