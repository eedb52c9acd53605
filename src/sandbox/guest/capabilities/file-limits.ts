/** Limits of file access in one call. */
export const FILE_LIMITS = {
  /** Maximum size of a file that is read. */
  fileBytes: 1_048_576,
  reads: 64,
  /** The maximum number of writes. Writes to the same file count each time, because each write copies the bytes. */
  writes: 64,
  /** The maximum number of different files that are written. */
  files: 16,
  /** The maximum size of all files that are written. */
  writtenBytes: 1_048_576,
} as const;
