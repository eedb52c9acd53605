import { startStubModel } from "./test/helpers/stub-model.ts";
const s = await startStubModel(({ protocol, body, n }) => {
  const text = JSON.stringify(body);
  console.error(n, protocol, text.length);
  if (text.includes("decision")) return { text: '{"decision":"ask","reason":"look at it"}' };
  if (text.includes("Summarise")) return { text: "a greeting" };
  if (Array.isArray((body as any).tools)) return { calls: [{ name: "answer", input: { ok: false, reason: "not tested" } }] };
  return { text: '{"ok":false,"reason":"touches production"}' };
});
console.log(s.url);
setTimeout(() => {}, 1e9);
