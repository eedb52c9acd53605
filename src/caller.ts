import { AsyncLocalStorage } from "node:async_hooks";

/** The process that asks for a verdict. A resident engine answers the questions of other processes. */
export interface Caller {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The process that the agent has started. `undefined`: unknown. */
  readonly pid?: number | undefined;
}

const callers = new AsyncLocalStorage<Caller>();

/** Runs `work` for another process: its hooks see the environment and the working directory of `caller`. */
export function asCaller<Result>(caller: Caller, work: () => Result): Result {
  return callers.run(caller, work);
}

/** Returns the caller's environment. Default: the environment of this process. */
export function callersEnvironment(): Caller["environment"] {
  return callers.getStore()?.environment ?? process.env;
}

/** Returns the caller's working directory. Default: that of this process. */
export function callersFolder(): string {
  return callers.getStore()?.cwd ?? process.cwd();
}

/** Returns the id of the process that the agent has started. Default: this process. */
export function callersProcess(): number | undefined {
  const caller = callers.getStore();
  return caller === undefined ? process.pid : caller.pid;
}
