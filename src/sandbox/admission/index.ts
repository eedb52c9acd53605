/** What tools that build, inspect and review modules need. Loaded by `loadAdmission`. */

export { admit, admitCode } from "./admission.ts";
export { encodeAdmitted } from "./admitted-file.ts";
export { assembleGuard } from "./assemble-guard.ts";
export { recognise, shapeOf } from "./engine-guard.ts";
export { grantsToLoad, type Inspection, inspectModule } from "./inspection.ts";
export type { Manifest } from "./manifest-schema.ts";
export { type Fixture, FixturesSchema, ManifestSchema } from "./manifest-schema.ts";
export { dataSection } from "./memory-data.ts";
export { MAX_TABLE_ENTRIES } from "./module-limits.ts";
export { rewrite } from "./rewrite.ts";
