import type { GuestModule } from "../guest/protocol.ts";
import type { ManifestClaims } from "./manifest-claims.ts";
import type { RefusedModule } from "./refusal.ts";
import type { RewrittenModule } from "./rewrite.ts";

export interface AdmittedModule<Module extends GuestModule = GuestModule> {
  readonly ok: true;
  /** The digest and the memory limit. Rules with the same key share one compiled module. */
  readonly key: string;
  readonly digest: string;
  readonly module: Module;
  readonly memoryBytes: number;
  readonly imports: readonly string[];
  readonly startExports: readonly string[];
  /** The claims of the manifest. `undefined` if the module has no manifest. */
  readonly claims: ManifestClaims | undefined;
  /** The manifest's JSON. Set only if `module` does not contain the manifest. */
  readonly manifest?: Uint8Array | undefined;
}

export type Admission<Module extends GuestModule = GuestModule> = AdmittedModule<Module> | RefusedModule;

/** The result of admission before compilation, as plain data. */
export interface AdmittedCode extends RewrittenModule {
  readonly ok: true;
  readonly digest: string;
  readonly imports: readonly string[];
  readonly startExports: readonly string[];
  readonly memoryPages: number;
  readonly claims?: ManifestClaims | undefined;
}
