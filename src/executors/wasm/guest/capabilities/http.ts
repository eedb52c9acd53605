import type { HostsGrant } from "../../../../rule.ts";
import type { GuestBlocks } from "../guest-blocks.ts";
import type { CallTerms, CapabilityHost, HostCall, HttpAsk, HttpReply } from "./capability.ts";
import { givenReply } from "./given-http.ts";
import { MAX_BODY_BYTES, MAX_REQUEST_BYTES, readHttpAsk, tooMuch } from "./http-ask.ts";

type HttpFunctionName = "http_request" | "http_status_code" | "http_headers";

/** Requests to hosts that a rule grants its guard. The engine's own side makes them. */
export class HttpHost implements CapabilityHost {
  readonly functions: Readonly<Record<HttpFunctionName, HostCall>>;
  readonly #blocks: GuestBlocks;
  #terms: CallTerms | undefined;
  /** What the last request came to. */
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

  begin(terms: CallTerms): void {
    this.#terms = terms;
    this.#last = undefined;
    this.#given = { calls: 0, bytes: 0 };
  }

  #grant(name: HttpFunctionName): HostsGrant {
    const hosts = this.#terms?.setup.grants?.hosts;
    if (hosts !== undefined) return hosts;
    return this.#blocks.refuse({ kind: "capability", message: `${name} needs a grant of "hosts"` });
  }

  /** A block with the answer's body; 0 where nobody answered, or with nothing. */
  #request(request: bigint, body: bigint): bigint {
    const grant = this.#grant("http_request");
    this.#last = undefined;
    const reply = this.#reply(this.#read(request, body), grant);
    if (reply.kind === "refused") return this.#blocks.refuse(reply.failure);
    if (reply.kind === "failed") return 0n;
    // A block may be one too many: then there was no answer.
    const block = reply.body.byteLength === 0 ? 0n : this.#blocks.store(reply.body);
    this.#last = reply;
    return block;
  }

  #read(request: bigint, body: bigint): HttpAsk {
    const json = this.#blocks.block(request, "http_request");
    if (json.byteLength > MAX_REQUEST_BYTES)
      return this.#blocks.refuse(tooMuch("the request", json.byteLength, MAX_REQUEST_BYTES, "bytes"));
    const content = body === 0n ? undefined : this.#blocks.block(body, "http_request");
    if (content !== undefined && content.byteLength > MAX_BODY_BYTES)
      return this.#blocks.refuse(tooMuch("the body", content.byteLength, MAX_BODY_BYTES, "bytes"));
    // Copied: what goes to another thread takes the whole heap along otherwise.
    const read = readHttpAsk(json, content?.slice());
    return read.ok ? read.ask : this.#blocks.refuse(read.failure);
  }

  #reply(ask: HttpAsk, grant: HostsGrant): HttpReply {
    const given = this.#terms?.task.given;
    if (given !== undefined) return givenReply(given.http ?? [], ask, grant, this.#given);
    const askEngine = this.#terms?.ask;
    if (askEngine !== undefined) return askEngine(ask);
    return this.#blocks.refuse({ kind: "capability", message: "http_request: no request can be made from here" });
  }
}
