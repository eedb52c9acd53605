import { expect, test } from "vitest";
import { HARMLESS, loadedMachine, percentile } from "./under-load.ts";

const CALLS = Number(process.env["HOOKBOX_LOAD_CALLS"] ?? 200);
const AT_ONCE = Number(process.env["HOOKBOX_LOAD_AT_ONCE"] ?? 20);
const BURNERS = Number(process.env["HOOKBOX_LOAD_BURNERS"] ?? 8);

const commandOf = (index: number): string => HARMLESS[index % HARMLESS.length] as string;

function report(what: string, samples: readonly number[]): void {
  const [median, p99] = [percentile(samples, 50), percentile(samples, 99)].map(Math.round);
  process.stdout.write(`${what}: ${samples.length} calls, no refusal, median ${median} ms, p99 ${p99} ms\n`);
}

test(`${BURNERS} busy processes: no harmless call is refused, and each failing guard denies with its cause`, async () => {
  const machine = await loadedMachine({ burners: BURNERS, authors: 3 });
  const inTurn: number[] = [];
  for (let index = 0; index < CALLS; index += 1) inTurn.push(await machine.harmless(commandOf(index)));
  report("one after another", inTurn);
  expect(inTurn).toHaveLength(CALLS);
  await machine.failing();
});

test(`${BURNERS} busy processes and an empty cache: ${AT_ONCE} harmless calls at a time are answered`, async () => {
  const machine = await loadedMachine({ burners: BURNERS, authors: 3 });
  const together: number[] = [];
  for (let begun = 0; begun < CALLS; begun += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, CALLS - begun) }, (_, index) => commandOf(begun + index));
    together.push(...(await Promise.all(some.map((command) => machine.harmless(command)))));
  }
  report(`${AT_ONCE} at a time`, together);
  expect(together).toHaveLength(CALLS);
  await machine.failing();
});
