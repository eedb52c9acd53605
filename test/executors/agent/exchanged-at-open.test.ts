import { renameSync, symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { WAITING, type WaitingDisk } from "../../../src/files/disk.ts";
import { byComparison, byDescriptor } from "../../../src/files/opened-file.ts";
import { Stop } from "../../../src/stop-signal.ts";
import { INSIDE, MARKER } from "../../files/attacked-folder.ts";
import { makeFolder } from "../../helpers/folders.ts";
import { confined } from "./agent-kit.ts";

/** What an attacker does at the worst moments: just before and just after a file or folder is opened. */
const exchange = { before: () => {}, after: () => {} };

const disk: WaitingDisk = {
  ...WAITING,
  open: async (...args) => {
    exchange.before();
    try {
      return await WAITING.open(...args);
    } finally {
      exchange.after();
    }
  },
};

afterEach(() => Object.assign(exchange, { before: () => {}, after: () => {} }));

const OPENERS = [
  ["by descriptor", byDescriptor],
  ["by comparison", byComparison],
] as const;

test.each(OPENERS)(
  "a folder that becomes a link before the file is opened, permanently or for that moment: %s",
  async (_, opener) => {
    for (const putsBack of [false, true]) {
      const parent = makeFolder({ "app/folder/a.txt": INSIDE, "elsewhere/a.txt": MARKER });
      const folder = await confined(join(parent, "app"), opener, disk);
      const [place, kept] = [join(parent, "app/folder"), join(parent, "app/kept")];
      let isOut = false;
      exchange.before = () => {
        if (isOut) return;
        isOut = true;
        renameSync(place, kept);
        symlinkSync("../elsewhere", place);
      };
      exchange.after = () => {
        if (!isOut || !putsBack) return;
        isOut = false;
        unlinkSync(place);
        renameSync(kept, place);
      };
      expect(await folder.read("folder/a.txt", 100, new Stop())).toMatchObject({ ok: false });
      expect(isOut).toBe(!putsBack);
      Object.assign(exchange, { before: () => {}, after: () => {} });
    }
  },
);

test.each(OPENERS)("a file that becomes a link before it is opened: %s", async (_, opener) => {
  const parent = makeFolder({ "app/a.txt": INSIDE, "secret.txt": MARKER });
  const folder = await confined(join(parent, "app"), opener, disk);
  exchange.before = () => {
    exchange.before = () => {};
    unlinkSync(join(parent, "app/a.txt"));
    symlinkSync("../secret.txt", join(parent, "app/a.txt"));
  };
  expect(await folder.read("a.txt", 100, new Stop())).toMatchObject({ ok: false });
});

test.each(OPENERS)("a file that becomes a link after it was checked and before it is read: %s", async (_, opener) => {
  const parent = makeFolder({ "app/a.txt": INSIDE, "secret.txt": MARKER });
  const folder = await confined(join(parent, "app"), opener, disk);
  exchange.after = () => {
    exchange.after = () => {};
    // Not immediately: the next step is the check of what was opened.
    exchange.before = () => {
      exchange.before = () => {};
      renameSync(join(parent, "app/a.txt"), join(parent, "app/b.txt"));
      symlinkSync("../secret.txt", join(parent, "app/a.txt"));
    };
  };
  const found = await folder.read("a.txt", 100, new Stop());
  // The holder of a descriptor keeps reading the original file.
  expect(found.ok ? found.value.bytes.toString() : "refused").toBe(opener === byDescriptor ? INSIDE : "refused");
});
