import { createAgentaoHost } from "../../../src/hosts/agentao/index.ts";

/** Your side: what asks a model. */
type Model = (messages: readonly string[]) => Promise<string>;

export async function chat(question: string, model: Model): Promise<string> {
  await using host = await createAgentaoHost({
    configFiles: [{ file: "hooks.json", dialect: "agentao" }],
    onEvent: ({ data }) => console.log(data["hook_name"], data["outcome"]),
  });
  const turn = host.turn({ sessionId: "s-1", cwd: process.cwd() });

  const prompt = await turn.userPromptSubmit(question);
  if (!prompt.enters) return prompt.text; // "[Blocked by hook] …": show it as intercepted

  const messages = [prompt.text];
  for (;;) {
    const answer = await model(messages);
    const end = await turn.stop({ answer, reason: "final_response" });
    if (end.next === null) return end.answer;
    messages.push(answer, end.next); // a hook asks for one more call
  }
}
