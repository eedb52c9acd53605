/** Of one call. */
export const FILE_LIMITS = {
  /** Of one file that is read. */
  fileBytes: 1_048_576,
  reads: 64,
  /** A file that is written again counts again: its bytes are copied each time, for the flat price of a call of the host. */
  writes: 64,
  /** Files that are written. */
  files: 16,
  /** Of all files that are written, together. */
  writtenBytes: 1_048_576,
} as const;
