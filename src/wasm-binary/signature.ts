export interface Signature {
  readonly params: readonly string[];
  readonly results: readonly string[];
}

export function formatSignature(signature: Signature | undefined): string {
  if (signature === undefined) return "an unknown type";
  const results = signature.results.length === 0 ? "nothing" : signature.results.join(", ");
  return `(${signature.params.join(", ")}) -> ${results}`;
}

export function sameSignature(actual: Signature | undefined, expected: Signature): boolean {
  return actual !== undefined && formatSignature(actual) === formatSignature(expected);
}
