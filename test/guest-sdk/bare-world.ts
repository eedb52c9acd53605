import type { GivenWorld } from "../../src/sandbox/guest/protocol.ts";
import { callGuard, type MoreFunctions } from "../plugins/bare-host.ts";
import type { ExampleFixture } from "./capability-examples.ts";

/** The guest ABI's functions that need a grant, in their plainest form, to compare with the host's. */

export interface BareWorld extends GivenWorld {
  /** Changed by the call. */
  readonly state?: Map<string, Uint8Array>;
  /** Filled by the call. */
  readonly written?: Map<string, Uint8Array>;
  readonly requests?: { readonly terms: unknown; readonly body: string | undefined }[];
  /** Used one after another. */
  readonly random?: bigint[];
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

export function bareWorld(world: BareWorld): MoreFunctions {
  return (blocks) => {
    const { state = new Map<string, Uint8Array>(), files = {}, http = [], random = [] } = world;
    let status = 0;
    let headers = "{}";
    const bytes = (handle: bigint): Uint8Array => new Uint8Array(blocks.view(handle).buffer).slice();
    const http_request = (request: bigint, body: bigint): bigint => {
      const terms = JSON.parse(blocks.text(request)) as { method?: string; url: string };
      world.requests?.push({ terms, body: body === 0n ? undefined : blocks.text(body) });
      const answer = http.find(({ method = "GET", url }) => method === (terms.method ?? "GET") && url === terms.url);
      status = answer?.status ?? 0;
      headers = JSON.stringify(answer?.headers ?? {});
      return answer?.body === undefined ? 0n : blocks.put(encode(answer.body));
    };
    return {
      "extism:host/env": {
        var_get: (key: bigint) => {
          const value = state.get(blocks.text(key));
          return value === undefined ? 0n : blocks.put(value);
        },
        var_set: (key: bigint, value: bigint) => {
          if (value === 0n) state.delete(blocks.text(key));
          else state.set(blocks.text(key), bytes(value));
        },
        http_request,
        http_status_code: () => status,
        http_headers: () => blocks.put(encode(headers)),
      },
      "hookbox:host/env": {
        file_read: (path: bigint) => {
          const text = files[blocks.text(path)];
          return text === undefined ? 0n : blocks.put(encode(text));
        },
        file_write: (path: bigint, content: bigint) => {
          world.written?.set(blocks.text(path), bytes(content));
        },
        clock_now: () => BigInt(world.nowMs ?? Date.UTC(2000, 0, 1)),
        random_bits: () => {
          const bits = random.shift();
          if (bits === undefined) throw new RangeError("no more random bits");
          return bits;
        },
      },
    };
  };
}

/** With bits that pick the first of however many there are. */
function worldOf({ given = {} }: ExampleFixture): BareWorld {
  const { state = {}, ...world } = given;
  const encoded = Object.entries(state).map(([key, text]) => [key, new TextEncoder().encode(text)] as const);
  return { ...world, state: new Map(encoded), random: [2n ** 63n] };
}

interface Said {
  readonly decision: string;
  readonly reason: string;
}

/** Returns a guard's answer to a fixture on this host, or why it failed. */
export function askBare(module: WebAssembly.Module, fixture: ExampleFixture): Said | string {
  const { event, config } = fixture;
  const { code, output, error } = callGuard(module, JSON.stringify(event), config, bareWorld(worldOf(fixture)));
  if (code !== 0) return error ?? "failed without a word";
  const { hookSpecificOutput: said } = JSON.parse(output ?? "");
  return { decision: said?.permissionDecision ?? "none", reason: said?.permissionDecisionReason ?? "" };
}
