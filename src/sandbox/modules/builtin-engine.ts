/**
 * The engine of guards in TypeScript. `shape` is a digest of what is the same in all guards before admission.
 * `baseFile` is the memory of the engine before a script is loaded. The guards that ship are differences to it.
 */
export const SHARED_ENGINE = {
  file: "engine.admitted",
  sha256: "c025aad3d05fa35656a8c38859c155e843bece7a137b59f2ad3bf2f3253a1684",
  baseFile: "engine.base",
  baseSha256: "0e55eb354e7b42f5c7f282f816c394ae4ab568caae507ac8a8f1246cbfe1d51c",
  shape: "83813af6139bd548c0c963365af06e886fad91f700cd23be240049969c44540c",
} as const;
