import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { BLOCKING, type DiskCalls } from "../../src/files/disk.ts";

/** What some disks treat as one name: case, Unicode form, and invisible characters. */
function folded(name: string): string {
  return name
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .normalize("NFC")
    .toUpperCase()
    .toLowerCase()
    .normalize("NFC");
}

/** A disk like those: it finds a file by any spelling, and returns the requested name. */
export function foldingDisk(): DiskCalls {
  const own = (path: string): string => {
    const [folder, name] = [dirname(path), basename(path)];
    try {
      const found = readdirSync(folder).find((one) => folded(one) === folded(name));
      return found === undefined ? path : join(folder, found);
    } catch {
      return path;
    }
  };
  const asked = new Map<number, string>();
  return {
    ...BLOCKING,
    open: (path, flags, mode) => {
      const isMade = path.startsWith("/proc/self/fd/") && path.split("/").length === 5;
      const fd = BLOCKING.open(isMade ? path : own(path), flags, mode);
      asked.set(fd, basename(path));
      return fd;
    },
    lstat: (path) => BLOCKING.lstat(own(path)),
    readlink: (path) => {
      const real = BLOCKING.readlink(path).toString();
      const name = asked.get(Number(basename(path)));
      const isSpelledOtherwise = name !== undefined && folded(name) === folded(basename(real));
      return Buffer.from(isSpelledOtherwise ? join(dirname(real), name) : real);
    },
    realpath: (path) => Buffer.from(join(BLOCKING.realpath(dirname(path)).toString(), basename(path))),
  };
}
