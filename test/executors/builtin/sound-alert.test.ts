import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "./repository.ts";
import { notesOf, runBuiltin, stopped } from "./run-builtin.ts";

const isLinux = process.platform === "linux";

test.runIf(isLinux)("sound-alert plays with the program that is installed", async () => {
  const bin = temporaryFolder();
  writeFileSync(join(bin, "canberra-gtk-play"), '#!/bin/sh\n: > "$0.$2"\n');
  chmodSync(join(bin, "canberra-gtk-play"), 0o755);
  expect(notesOf(await runBuiltin("sound-alert", stopped(bin), { env: { PATH: `${bin}:/usr/bin:/bin` } }))).toEqual([]);
  expect(existsSync(join(bin, "canberra-gtk-play.complete"))).toBe(true);
});

test.runIf(isLinux)("sound-alert does not fail if no program can play", async () => {
  const bin = temporaryFolder();
  const result = await runBuiltin("sound-alert", stopped(bin), { env: { PATH: bin } });
  expect(result).toMatchObject({ ok: true, reply: {} });
});
