import { getEventListeners } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { createEngine } from "../../src/index.ts";

test("a long-lived signal keeps no listeners of events that have ended, and for many at the same time Node does not warn", async () => {
  const warnings: string[] = [];
  const onWarning = ({ name }: Error): void => void warnings.push(name);
  process.on("warning", onWarning);
  onTestFinished(() => void process.off("warning", onWarning));
  const hooks = Array.from({ length: 12 }, () => ({ type: "function", run: () => turn().then(() => null) }));
  const engine = await createEngine({ config: { hooks: { Notification: [{ hooks }] } }, cacheDir: false });
  onTestFinished(() => engine.close());
  const { signal } = new AbortController();

  await Promise.all([1, 2].map(() => engine.dispatch("Notification", {}, { signal })));
  expect(getEventListeners(signal, "abort")).toEqual([]);
  // A warning comes one turn of the event loop later.
  await turn();
  expect(warnings).toEqual([]);
});
