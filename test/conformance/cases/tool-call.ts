import type { CaseFamily } from "../case.ts";

const coveredBy = "test/engine/tool-call.docker-agent.test.ts";

export const toolCall: CaseFamily = {
  title: "docker-agent: the approval of a tool call",
  source: "docker-agent's tests of its approval phases (September 2026)",
  dialect: "docker-agent",
  cases: [
    { id: "T1", title: "what a transform makes of the input is what guard, policy, user and tool see", coveredBy },
    { id: "T2", title: "a transform that blocks ends the call before the guard; one that crashes warns", coveredBy },
    { id: "T3", title: "a guard's refusal or crash beats every mode and allow rule", coveredBy },
    { id: "T4", title: "a guard's question is put at each call, whatever was granted", coveredBy },
    { id: "T5", title: "a guard's question is put where the mode finds the call safe", coveredBy },
    { id: "T6", title: "a guard's permission bypasses neither a deny rule nor a prompt", coveredBy },
    { id: "T7", title: "a guard's question does not overrule an explicit denial", coveredBy },
    { id: "T8", title: "a crash or block in the preempt lane denies", coveredBy },
    {
      id: "T9",
      title: "a rewrite puts the call before guard, preempt lane and policy once more; none without a change",
      coveredBy,
    },
    { id: "T10", title: "the default lane is left out where the mode or a rule allows", coveredBy },
    { id: "T11", title: "redaction from input to response under a mode that allows everything", coveredBy },
    { id: "T12", title: "a question about a rewritten call is not answered by earlier grants", coveredBy },
  ],
};
