/** The classes of secrets, which a guard can treat differently. */
type SecretClass = "token" | "privateKey" | "password" | "named";

/** A secret in a text. */
export interface Secret {
  readonly kind: string;
  readonly class: SecretClass;
  readonly value: string;
  /** Number of characters that may be shown: a prefix that names the issuer. */
  readonly shown: number;
}

/** A token of a known format, by its place in a text. */
export interface Token {
  readonly kind: string;
  readonly at: number;
  readonly end: number;
}
