import { describe, test } from "vitest";
import { HEAVY_MODULES } from "./heavy-modules.ts";
import { WAYS, type Way } from "./hosts.ts";
import { supportedNodes } from "./nodes.ts";
import { Slots } from "./slots.ts";
import { expectUnharmed, type Harm } from "./unharmed.ts";

/**
 * `HOOKBOX_HEAVY` selects a part of it, by words in "NODE WAY NAME", because `vitest -t` does not distinguish two
 * Nodes.
 */
const wanted = new RegExp(process.env["HOOKBOX_HEAVY"] ?? ".");
const REST_MS = 10_000;
/** Hosts that compile and run. Idle hosts use no core. */
const slots = new Slots(2);
const worst: Record<string, Harm & { readonly name: string }> = {};

describe.each(supportedNodes())("Node $major", ({ major, path: node }) => {
  const modulesFor = (way: Way) => HEAVY_MODULES.filter(({ name }) => wanted.test(`${major} ${way} ${name}`));
  describe.each(WAYS.filter((way) => modulesFor(way).length > 0))("%s", (way) => {
    const modules = modulesFor(way);
    test.concurrent.for(modules)("$name harms no host", async (module) => {
      const leave = await slots.enter();
      try {
        const harm = await expectUnharmed(module, { node, way, restMs: REST_MS, onRest: leave });
        const key = `Node ${major}, ${way}`;
        if (harm.peakMiB > (worst[key]?.peakMiB ?? 0)) {
          worst[key] = { name: module.name, ...harm };
        }
      } finally {
        leave();
      }
    });
  });
  test("prints what took most", () => {
    const rows = Object.entries(worst).filter(([key]) => key.startsWith(`Node ${major}`));
    const mib = (value: number) => `+${Math.round(value)} MiB`;
    for (const [key, { name, peakMiB, restMiB, closedMiB }] of rows) {
      const later = key.includes("engine") ? `, loaded ${mib(restMiB)}, closed ${mib(closedMiB)}` : "";
      console.log(`${key}: peak ${mib(peakMiB)}${later} (${name})`);
    }
  });
});
