import { ScopeStore } from "../../dist/state/scope-store.js";

/** Counts in one scope repeatedly, and prints each number once it is saved. Ends after a given number of counts. */
const [folder, times] = process.argv.slice(2);
const store = new ScopeStore(folder);
const scope = { layer: "user", session: "s", rule: "r" };

for (let round = 0; round < Number(times); round += 1) {
  const turn = await store.take(scope);
  const count = Number(Buffer.from(turn.values.get("n") ?? "0").toString()) + 1;
  await turn.save(new Map([["n", Buffer.from(String(count))]]));
  process.stdout.write(`${count}\n`);
  await turn.release();
}
