import type { HostsGrant } from "../../../grants.ts";
import type { GuestBlocks } from "../guest-blocks.ts";
import type { CallContext, CapabilityHost, HostCall, HttpReply } from "./capability.ts";

type HttpReader = typeof import("./http-reader.ts");

/** Maximum size of the JSON of a request. */
const MAX_REQUEST_BYTES = 32_768;
const MAX_BODY_BYTES = 262_144;

type HttpFunctionName = "http_request" | "http_status_code" | "http_headers";

/** Host functions for HTTP requests to granted hosts. The engine sends the requests. */
export class HttpHost implements CapabilityHost {
  readonly functions: Readonly<Record<HttpFunctionName, HostCall>>;
  readonly #blocks: GuestBlocks;
  #reader: HttpReader | undefined;
  #context: CallContext | undefined;
  /** Response of the last request. */
  #last: Extract<HttpReply, { kind: "answered" }> | undefined;
  #given = { calls: 0, bytes: 0 };

  constructor(blocks: GuestBlocks) {
    this.#blocks = blocks;
    this.functions = {
      http_request: (_: unknown, request: bigint, body: bigint) => this.#request(request, body),
      http_status_code: () => {
        this.#grant("http_status_code");
        return this.#last?.status ?? 0;
      },
      http_headers: () => {
        this.#grant("http_headers");
        if (this.#last === undefined) return 0n;
        return blocks.store(new TextEncoder().encode(JSON.stringify(this.#last.headers)));
      },
    };
  }

  /** Loads the reader of requests. Must be called before the first call of a rule that grants hosts. */
  async load(): Promise<void> {
    this.#reader ??= await import("./http-reader.ts");
  }

  get isLoaded(): boolean {
    return this.#reader !== undefined;
  }

  begin(context: CallContext): void {
    this.#context = context;
    this.#last = undefined;
    this.#given = { calls: 0, bytes: 0 };
  }

  #grant(name: HttpFunctionName): HostsGrant {
    const hosts = this.#context?.setup.grants?.hosts;
    if (hosts !== undefined) return hosts;
    return this.#blocks.refuse({ kind: "capability", message: `${name} needs a grant of "hosts"` });
  }

  /** Returns a block with the response's body, or 0 if no response arrived or its body is empty. */
  #request(request: bigint, body: bigint): bigint {
    const grant = this.#grant("http_request");
    this.#last = undefined;
    const reply = this.#reply(request, body, grant);
    if (reply.kind === "refused") return this.#blocks.refuse(reply.failure);
    if (reply.kind === "failed") return 0n;
    // The body is stored first, because its block may exceed a limit. `#last` then stays unset.
    const block = reply.body.byteLength === 0 ? 0n : this.#blocks.store(reply.body);
    this.#last = reply;
    return block;
  }

  #reply(request: bigint, body: bigint, grant: HostsGrant): HttpReply {
    const json = this.#bytes(request, "the request", MAX_REQUEST_BYTES);
    const content = body === 0n ? undefined : this.#bytes(body, "the body", MAX_BODY_BYTES);
    const { task, ask: askEngine } = this.#context ?? {};
    if (this.#reader !== undefined && (task?.given !== undefined || askEngine !== undefined)) {
      // The bytes are copied, because sending a view to another thread would copy the whole heap.
      const read = this.#reader.readHttpAsk(json, content?.slice());
      if (!read.ok) return this.#blocks.refuse(read.failure);
      if (task?.given !== undefined)
        return this.#reader.givenReply(task.given.http ?? [], read.ask, grant, this.#given);
      if (askEngine !== undefined) return askEngine(read.ask);
    }
    return this.#blocks.refuse({ kind: "capability", message: "http_request: no request can be sent in this thread" });
  }

  #bytes(handle: bigint, what: string, limit: number): Uint8Array {
    const bytes = this.#blocks.block(handle, "http_request");
    const value = bytes.byteLength;
    if (value <= limit) return bytes;
    const message = `http_request: ${what} has ${value} bytes, over the limit of ${limit}`;
    return this.#blocks.refuse({ kind: "capability", message, limit, value });
  }
}
