import type { CaseFamily } from "../case.ts";

const coveredBy = "test/engine/tool-call.docker-agent.test.ts";

export const toolCall: CaseFamily = {
  title: "docker-agent: the approval of a tool call",
  source: "docker-agent's tests of its approval phases (September 2026)",
  dialect: "docker-agent",
  cases: [
    { id: "T1", title: "guard, policy, user and tool see the input after a transform", coveredBy },
    {
      id: "T2",
      title: "a blocking transform ends the call before the guard, but a crashing transform only warns",
      coveredBy,
    },
    { id: "T3", title: "a guard's refusal or crash outranks every mode and allow rule", coveredBy },
    { id: "T4", title: "the user gets a guard's question at each call, even after a grant", coveredBy },
    { id: "T5", title: "the user gets a guard's question, even if the mode allows the call", coveredBy },
    { id: "T6", title: "a guard's permission bypasses neither a deny rule nor a prompt", coveredBy },
    { id: "T7", title: "a guard's question does not overrule an explicit denial", coveredBy },
    { id: "T8", title: "a crash or block in the preempt lane denies", coveredBy },
    {
      id: "T9",
      title: "after a rewrite, guard, preempt lane and policy judge the call once more",
      coveredBy,
    },
    { id: "T10", title: "the default lane does not run if the mode or a rule allows the call", coveredBy },
    { id: "T11", title: "redaction of input and response, in a mode that allows everything", coveredBy },
    { id: "T12", title: "earlier grants do not answer a question about a rewritten call", coveredBy },
  ],
};
