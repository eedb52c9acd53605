import type { HostFunction } from "../guest-abi.ts";

/** The functions of `wasi_snapshot_preview1`, with their signatures. All of them need a grant of `wasi`. */
export const WASI_FUNCTIONS: Readonly<Record<string, HostFunction>> = {};
