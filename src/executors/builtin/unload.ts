import type { Network } from "../../grants.ts";
import { isJsonObject, type JsonValue } from "../../json.ts";
import { checkTarget } from "../../net/target.ts";
import { cleanLine } from "../../text.ts";
import { type BuiltinCall, type BuiltinHook, silent } from "./builtin.ts";

/** Asks the local model runner to unload an agent's models from memory when the agent hands over. */

/** The only provider whose models run on this machine. */
const LOCAL_PROVIDER = "dmr";
const TIMEOUT_MS = 10_000;
const MAX_MODELS = 32;
const MAX_NOTE = 200;

/** The runner's name inside of containers. Other addresses come from the event, so they must be on this machine. */
const ENGINE_HOST = "model-runner.docker.internal";

interface Endpoint {
  readonly model: string;
  readonly url: string;
  readonly network: Network;
}

export const unload: BuiltinHook = {
  run: async (call) => {
    const { from_agent: from, to_agent: to, from_agent_models: models } = call.event.payload;
    if (typeof from !== "string" || from === "" || from === to || !Array.isArray(models)) return silent();
    const notes: string[] = [];
    for (const model of models.slice(0, MAX_MODELS)) {
      if (call.stop.aborted) break;
      const note = await unloadOne(call, model);
      if (note !== undefined) notes.push(cleanLine(note, MAX_NOTE));
    }
    return silent(...notes);
  },
};

/** Unloads one model. Returns a problem as a text, because a problem does not stop the agent. */
async function unloadOne({ tools }: BuiltinCall, entry: JsonValue): Promise<string | undefined> {
  if (!isJsonObject(entry) || entry["provider"] !== LOCAL_PROVIDER || typeof entry["model"] !== "string") return;
  const { model, base_url: base, unload_api: api } = entry;
  if ((base ?? "") === "" && (api ?? "") === "") return;
  const endpoint = endpointOf(model as string, base, api);
  if (typeof endpoint === "string") return `${model}: ${endpoint}`;
  const { url, network } = endpoint;
  const posted = await tools.post({
    url,
    network,
    body: JSON.stringify({ model }),
    timeoutMs: TIMEOUT_MS,
    // Redirects must stay on the same server.
    allowedUrls: [[`${new URL(url).origin}/*`]],
  });
  if (!posted.ok) return `${model}: ${posted.failure.message}`;
  const { status } = posted.answer;
  return status >= 200 && status <= 299 ? undefined : `${model}: answered with status ${status}`;
}

/** Returns the full address, or why there is none. */
function endpointOf(model: string, base: JsonValue | undefined, api: JsonValue | undefined): Endpoint | string {
  const text = unloadUrl(typeof base === "string" ? base : "", typeof api === "string" ? api : "");
  if (text === undefined) return "the event contains no valid address of the model runner";
  const { hostname } = new URL(text);
  const network = hostname === ENGINE_HOST ? "private" : "loopback";
  const check = checkTarget(text, { network });
  if (!check.ok) return check.message;
  if (hostname !== ENGINE_HOST && !isThisMachine(check.target.host)) {
    return `${check.target.host} is not on this machine`;
  }
  return { model, url: text, network };
}

/** Replaces the API's version in the address with `/_unload`, or uses the given path from the root. */
function unloadUrl(base: string, api: string): string | undefined {
  try {
    if (/^https?:\/\//.test(api)) return new URL(api).href;
    const url = new URL(base);
    const path = api === "" ? `${url.pathname.replace(/\/$/, "").replace(/\/v1$/, "")}/_unload` : api;
    url.pathname = path;
    url.search = "";
    url.hash = "";
    return url.href;
  } catch {
    return undefined;
  }
}

function isThisMachine(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}
