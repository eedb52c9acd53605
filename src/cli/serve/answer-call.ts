import { asCaller } from "../../caller.ts";
import type { AgentReply } from "../../dialects/dialect.ts";
import { HookError } from "../../errors.ts";
import { addedHooks } from "../agent-options.ts";
import { configFiles, formatOfEvents } from "../config-files.ts";
import { eventDialect } from "../event-dialect.ts";
import { asProcess } from "../lines/answer-forms.ts";
import { Answering } from "../lines/answering.ts";
import type { Question } from "../lines/question.ts";
import { patienceMsOf } from "../patience.ts";
import { parsePayload, utf8 } from "../payload.ts";
import { RUN_OPTIONS } from "../run-options.ts";
import { parseVerbArgs } from "../verb.ts";
import type { Call } from "./relayed-call.ts";
import type { WarmProjects } from "./warm-projects.ts";

/** Answers a call as `hookbox run` with the same arguments would. Never rejects, except for a wrong command line. */
export async function answerCall(
  { caller, args, waitedMs, payload }: Call,
  projects: WarmProjects,
  { cutOff }: { readonly cutOff: AbortSignal },
): Promise<AgentReply> {
  const startedAt = performance.now() - waitedMs;
  const { values } = parseVerbArgs(args, RUN_OPTIONS);
  if (values.json || values.lines) throw new HookError("HOOK_CLI_USAGE", "a relay takes neither --json nor --lines");
  if (values["trust-env"])
    throw new HookError(
      "HOOK_CLI_USAGE",
      "a relay takes no --trust-env, because its environment comes from the agent",
      {
        hint: "approve the files with hookbox trust --trust DIGEST",
      },
    );
  const { config, format, agent, compat } = values;
  const { cwd } = caller;
  const withProject = values["with-project"];
  let end = (): void => {};
  const done = new Promise<void>((resolve) => {
    end = resolve;
  });
  const answering = new Answering({
    choice: eventDialect(values.dialect, formatOfEvents(values)),
    eventName: values.event,
    patienceMs: patienceMsOf(values.patience),
    startedAt,
    engineOf: ({ name: dialect }) =>
      projects.engineOf(
        {
          cwd,
          dialect,
          selection: [config, format, agent, compat, withProject, addedHooks(values, formatOfEvents(values))],
          findFiles: () =>
            configFiles(config, format, cwd, {
              agent,
              compat,
              withProject,
              added: addedHooks(values, formatOfEvents(values)),
            }),
        },
        done,
      ),
    formOf: asProcess,
    signal: cutOff,
    cutOff,
  });
  try {
    const [reply] = await asCaller(caller, () => answering.answer(readQuestion(payload)));
    return reply as unknown as AgentReply;
  } finally {
    end();
  }
}

async function readQuestion(payload: Buffer): Promise<Question> {
  return { id: undefined, payload: await parsePayload(utf8(payload)) };
}
