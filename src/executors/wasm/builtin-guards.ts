export const BUILTIN_GUARDS: Readonly<Record<string, { readonly file: string; readonly sha256: string }>> = {};
