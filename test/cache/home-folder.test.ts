import { userInfo } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { defaultCacheFolder } from "../../src/cache/cache-folder.ts";
import { defaultStateFolder } from "../../src/state/default-state-folder.ts";

test.each(["", ".", "home"])("with %j for a home, nothing is stored below the working directory", (home) => {
  vi.stubEnv("HOME", home);
  vi.stubEnv("USERPROFILE", home);
  vi.stubEnv("XDG_CACHE_HOME", undefined);
  vi.stubEnv("XDG_STATE_HOME", undefined);
  try {
    expect(defaultCacheFolder()).toBe(join(userInfo().homedir, ".cache", "hookbox"));
    expect(defaultStateFolder()).toBe(join(userInfo().homedir, ".local", "state", "hookbox"));
  } finally {
    vi.unstubAllEnvs();
  }
});
