import { callersEnvironment } from "../../caller.ts";
import type { Problem } from "../../errors.ts";
import type { HookEvent } from "../../event.ts";
import { parseJsonObject } from "../../json.ts";
import { mayComeWithRepository, trustOf } from "../../layer-trust.ts";
import { isWithin, runWithin } from "../../models/recursion.ts";
import { optionalPackage } from "../../optional-package.ts";
import type { Failure, RunResult } from "../../outcome.ts";
import type { HandlerOf, Rule } from "../../rule.ts";
import { eventText } from "../event-text.ts";
import type { Executor, RunOptions } from "../executor.ts";
import { fillInput } from "./fill-input.ts";
import { MCP_LIMITS, type McpLimits } from "./limits.ts";
import { problemsOf } from "./problems.ts";
import { readResult } from "./read-result.ts";
import { Servers } from "./servers.ts";
import type { SharedServer } from "./shared-server.ts";

const PACKAGE = "@modelcontextprotocol/client";

type Found = { readonly ok: true; readonly server: SharedServer } | { readonly ok: false; readonly failure: Failure };

/** Which servers are asked for their tools before the first event. Asking a server starts a program. */
export type AskServers = "all" | "own" | "none";

/** Calls tools of MCP servers, and reads their text like a command's output. */
export class McpToolExecutor implements Executor {
  readonly type = "mcp_tool";
  readonly #limits: McpLimits;
  readonly #asked: AskServers;
  #servers: Promise<Servers | Failure> | undefined;
  #isClosed = false;

  /** `own`: asks all servers except those of rules from a repository, which start at their first event. */
  constructor(limits: Partial<McpLimits> = {}, asked: AskServers = "own") {
    this.#limits = { ...MCP_LIMITS, ...limits };
    this.#asked = asked;
  }

  async prepare(rule: Rule): Promise<readonly Problem[]> {
    const handler = handlerOf(rule);
    const found = await this.#find(rule, handler);
    if (!found.ok) return problemsOf(rule, handler, found);
    return this.#isAsked(rule) ? problemsOf(rule, handler, await found.server.tools()) : [];
  }

  async run(rule: Rule, event: HookEvent, { signal }: RunOptions): Promise<RunResult> {
    const begun = performance.now();
    const handler = handlerOf(rule);
    let inputBytes = 0;
    const receipt = (outputBytes?: number): RunResult["receipt"] => ({
      micros: Math.round((performance.now() - begun) * 1_000),
      inputBytes,
      ...(outputBytes === undefined ? {} : { outputBytes }),
    });
    const failed = (failure: Failure): RunResult => ({ ok: false, failure, receipt: receipt() });
    if (isWithin())
      return failed({
        kind: "unavailable",
        message: "a hook that thinks was asked from within one: its tool may ask a model",
      });
    const encoded = eventText(rule, event);
    if (!encoded.ok) return failed(encoded.failure);
    const filled = fillInput(handler.input, parseJsonObject(encoded.text) ?? {});
    if (!filled.ok) return failed(filled.failure);
    inputBytes = Buffer.byteLength(JSON.stringify(filled.input));
    signal.enter?.("load");
    const found = await this.#find(rule, handler);
    if (!found.ok) return failed(found.failure);
    const asked = await runWithin(() => found.server.call(handler.tool, filled.input, signal));
    if (!asked.ok) return failed(signal.aborted ? asked.failure : ofServer(handler, asked.failure));

    const { decoded, output } = readResult(rule, event, asked.value);
    const traces = { receipt: receipt(Buffer.byteLength(output)), output };
    return decoded.ok ? { ...decoded, ...traces } : { ok: false, failure: ofTool(handler, decoded.failure), ...traces };
  }

  /** Ends all servers and connections. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const servers = await this.#servers;
    if (servers instanceof Servers) await servers.close();
  }

  #isAsked({ layer }: Rule): boolean {
    return this.#asked === "all" || (this.#asked === "own" && !mayComeWithRepository(layer));
  }

  async #find(rule: Rule, { found }: HandlerOf<"mcp_tool">): Promise<Found> {
    const { codec, layer, keyVariables: withheld } = rule;
    if (found === undefined) return { ok: false, failure: { kind: "unavailable", message: "the server is not known" } };
    if (rule.approved?.scripts !== undefined && found.kind === "stdio") {
      const { whyNotApproved } = await import("../approved-scripts.ts");
      const start = { cwd: found.workingDir, env: callersEnvironment() };
      const message = await whyNotApproved(rule.approved.scripts, rule, start);
      if (message !== undefined)
        return { ok: false, failure: { kind: "integrity", code: "HOOK_TRUST_CHANGED", message } };
    }
    this.#servers ??= loadServers(this.#limits);
    const servers = await this.#servers;
    if (this.#isClosed) return { ok: false, failure: { kind: "unavailable", message: "the engine is closed" } };
    if (!(servers instanceof Servers)) return { ok: false, failure: servers };
    // A program that may come with a repository does not receive the variables that the user's own programs receive.
    const server = found.kind === "http" || withheld === undefined ? found : { ...found, withheld };
    const inherit = mayComeWithRepository(layer) ? "listed" : codec.inheritedEnvironment;
    return { ok: true, server: servers.find(server, inherit, trustOf(layer)) };
  }
}

async function loadServers(limits: McpLimits): Promise<Servers | Failure> {
  const sdk = await optionalPackage(PACKAGE, () => import("@modelcontextprotocol/client"));
  if (sdk.ok) return new Servers(sdk.module, limits);
  return { kind: "unavailable", code: "HOOK_MCP_SERVER", message: `${sdk.message} (${sdk.hint})` };
}

function handlerOf({ id, handler }: Rule): HandlerOf<"mcp_tool"> {
  if (handler.type !== "mcp_tool") throw new TypeError(`rule ${id} is not of type mcp_tool`);
  return handler;
}

function ofServer({ server }: HandlerOf<"mcp_tool">, failure: Failure): Failure {
  return { ...failure, message: `MCP server "${server}" ${failure.message}` };
}

function ofTool({ server, tool }: HandlerOf<"mcp_tool">, failure: Failure): Failure {
  return { ...failure, message: `MCP tool "${tool}" of "${server}": ${failure.message}` };
}
