/** Of one call. */
export const FILE_LIMITS = {
  /** Of one file that is read. */
  fileBytes: 1_048_576,
  reads: 64,
  /** The same file again included: each is a copy, and a call of the host has a flat price. */
  writes: 64,
  /** Files that are written. */
  files: 16,
  /** Of all files that are written, together. */
  writtenBytes: 1_048_576,
} as const;
