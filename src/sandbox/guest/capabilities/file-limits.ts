/** Limits of file access in one call. */
export const FILE_LIMITS = {
  /** Maximum size of a file that is read. */
  fileBytes: 1_048_576,
  reads: 64,
  /**
   * Writes to the same file count each time, because its bytes are copied each time, and a host call has a fixed fuel
   * cost.
   */
  writes: 64,
  /** Number of different files that are written. */
  files: 16,
  /** Total size of all files that are written. */
  writtenBytes: 1_048_576,
} as const;
