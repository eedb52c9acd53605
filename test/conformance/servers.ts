import { type HttpMcp, httpMcp } from "../executors/mcp/http-server.ts";
import { type StubModel, startStubModel } from "../helpers/stub-model.ts";
import type { ModelServerAnswer } from "./case.ts";
import { CaseFolders } from "./case-folders.ts";
import { decision } from "./claude-hooks.ts";
import { HookServer } from "./hook-server.ts";

/** What all cases share: the servers on this machine for their hooks, and the folder of their files. */
export interface Servers {
  readonly hooks: HookServer;
  readonly tools: HttpMcp;
  readonly folders: CaseFolders;
  /** Returns the address of a provider of models with this answer. */
  addModel(answer: ModelServerAnswer): string;
  close(): Promise<void>;
}

export async function openServers(): Promise<Servers> {
  const answers = new Map<string, ModelServerAnswer>();
  const models: StubModel = await startStubModel((request) => {
    const answer = answers.get(request.prefix);
    const said = typeof answer === "function" ? answer(request) : answer;
    return typeof said === "string" ? { text: said } : (said ?? { status: 404 });
  });
  const hooks = await HookServer.open();
  const tools = await httpMcp({ judge: () => JSON.stringify(decision("deny", "not over here")) });
  const folders = new CaseFolders();
  return {
    hooks,
    tools,
    folders,
    addModel: (answer) => {
      const prefix = `/models/${answers.size + 1}`;
      answers.set(prefix, answer);
      return `${models.url}${prefix}`;
    },
    close: async () => {
      await Promise.all([models.close(), hooks.close(), tools.close()]);
      folders.close();
    },
  };
}
