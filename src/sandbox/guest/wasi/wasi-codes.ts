/** Constants of `wasi_snapshot_preview1` that are used here. */

export const ERRNO = {
  success: 0,
  badf: 8,
  fault: 21,
  ilseq: 25,
  inval: 28,
  isdir: 31,
  mfile: 33,
  nametoolong: 37,
  noent: 44,
  nosys: 52,
  notdir: 54,
  notsup: 58,
  rofs: 69,
  spipe: 70,
} as const;

export type Errno = (typeof ERRNO)[keyof typeof ERRNO];

export const FILE_TYPE = { unknown: 0, characterDevice: 2, directory: 3, regular: 4 } as const;

export const RIGHTS = {
  read: 1n << 1n,
  seek: 1n << 2n,
  setFlags: 1n << 3n,
  tell: 1n << 5n,
  write: 1n << 6n,
  advise: 1n << 7n,
  openPath: 1n << 13n,
  statPath: 1n << 18n,
  stat: 1n << 21n,
  poll: 1n << 27n,
} as const;

export const OPEN_FLAG = { create: 1, directory: 2, exclusive: 4, truncate: 8 } as const;

export const CLOCK = { realtime: 0, monotonic: 1 } as const;

export const EVENT_TYPE = { clock: 0, read: 1, write: 2 } as const;

export const WHENCE = { set: 0, current: 1, end: 2 } as const;
