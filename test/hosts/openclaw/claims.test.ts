import { describe, expect, test } from "vitest";
import { hosted, recording } from "./hosted.ts";

describe("a claim", () => {
  test.each(["inbound_claim", "before_dispatch", "reply_dispatch", "before_agent_reply"] as const)(
    "OC-29: at %s goes to the first plugin that takes it",
    async (hook) => {
      const { host, errors } = hosted();
      const after = recording(() => ({ handled: true, reply: "third" }));
      host.on(hook, () => ({ handled: false, reply: "declined" }), { priority: 9 });
      host.on(hook, () => Promise.reject(new Error("broken")), { priority: 8 });
      host.on(hook, () => ({ handled: true, reply: "second" }), { priority: 7 });
      host.on(hook, after.handler, { priority: 6 });
      expect(await host.run(hook, { content: "hello" })).toEqual({ handled: true, reply: "second" });
      expect([after.events.length, errors.length]).toEqual([0, 1]);
    },
  );

  test("OC-37: at before_dispatch can take the dispatch, and other fields of a result have no effect", async () => {
    const { host } = hosted();
    const next = recording();
    host.on("before_dispatch", () => ({ content: "rewritten", text: "rewritten" }), { priority: 9 });
    host.on("before_dispatch", next.handler);
    expect(await host.run("before_dispatch", { content: "original" })).toBeUndefined();
    expect(next.events).toEqual([{ content: "original" }]);
  });

  test("OC-30: that is offered to one plugin has five possible results", async () => {
    const { host } = hosted();
    const plugin = (id: string, ...answers: (() => unknown)[]): void =>
      host.use({ id, name: id, register: (api) => answers.forEach((one) => void api.on("inbound_claim", one)) });
    const broken = (): never => {
      throw new Error("first line\nsecond line");
    };
    plugin("silent");
    plugin(
      "declining",
      () => undefined,
      () => ({ handled: false }),
    );
    plugin("broken", broken, () => Promise.reject(new Error("another")));
    plugin("recovering", broken, () => ({ handled: true, reply: "mine" }));
    const offer = (id: string) => host.claimBy(id, "inbound_claim", {});
    expect(await offer("absent")).toEqual({ status: "missing_plugin" });
    expect(await offer("silent")).toEqual({ status: "no_handler" });
    expect(await offer("declining")).toEqual({ status: "declined" });
    expect(await offer("broken")).toEqual({ status: "error", error: "first line" });
    expect(await offer("recovering")).toEqual({ status: "handled", result: { handled: true, reply: "mine" } });
  });
});

describe("a skill's evaluation", () => {
  test("reports each plugin's answer, with an event that no plugin can change", async () => {
    const { host } = hosted();
    host.use({
      id: "one",
      name: "One",
      register: (api) => {
        api.on("skill_proposal_evaluate", (event) => ({ score: Object.isFrozen(event.skill) ? 1 : 0 }));
        api.on("skill_proposal_evaluate", () => undefined);
        api.on("skill_proposal_evaluate", (event) => {
          event.skill.name = "changed";
        });
      },
    });
    const skill = { name: "s" };
    expect(await host.run("skill_proposal_evaluate", { skill })).toEqual([
      { pluginId: "one", status: "completed", result: { score: 1 } },
      { pluginId: "one", status: "skipped" },
      { pluginId: "one", status: "error", error: expect.stringContaining("read only") },
    ]);
    expect(skill.name).toBe("s");
  });
});
