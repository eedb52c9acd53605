import { DiskScopes } from "../../dist/state/disk-scopes.js";

/** Counts in one scope repeatedly, and prints each number once it is saved. Ends after a given number of counts. */
const [folder, times] = process.argv.slice(2);
const store = new DiskScopes(folder);
const scope = { layer: "user", session: "s", rule: "r" };

for (let round = 0; round < Number(times); round += 1) {
  const mutex = await store.take(scope);
  const count = Number(Buffer.from(mutex.values.get("n") ?? "0").toString()) + 1;
  await mutex.save(new Map([["n", Buffer.from(String(count))]]));
  process.stdout.write(`${count}\n`);
  await mutex.release();
}
