import type { GuestBlocks } from "../guest-blocks.ts";
import type { CallTerms, CapabilityHost, HostCall } from "./capability.ts";

/** Requests to hosts that a rule grants its guard. The engine's own side makes them. */
export class HttpHost implements CapabilityHost {
  readonly functions: Readonly<Record<"http_request" | "http_status_code" | "http_headers", HostCall>>;

  constructor(blocks: GuestBlocks) {
    const refused = (name: string) => (): never =>
      blocks.refuse({ kind: "capability", message: `${name} needs a grant of "hosts"` });
    this.functions = {
      http_request: refused("http_request"),
      http_status_code: refused("http_status_code"),
      http_headers: refused("http_headers"),
    };
  }

  begin(_: CallTerms): void {}
}
