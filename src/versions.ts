import { createRequire } from "node:module";

/** The version of the package and of each contract that has one of its own. */
export interface Versions {
  readonly hookbox: string;
  /** Of the configuration format. */
  readonly config: number;
  /** Of the interface between host and guard. */
  readonly guestAbi: number;
  readonly node: string;
}

export function versions(): Versions {
  const { version } = createRequire(import.meta.url)("../package.json") as { version: string };
  return { hookbox: version, config: 1, guestAbi: 1, node: process.versions.node };
}
