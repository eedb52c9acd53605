/**
 * The part of JSON Schema with which a guard describes its `config`. The schema is checked when the guard is built, and
 * the config at each call. Unsupported keywords are refused, because no code would check them.
 */
export interface ConfigSchema extends Annotations {
  readonly type: "object";
  readonly properties?: { readonly [name: string]: ValueSchema };
  readonly required?: readonly string[];
  /**
   * Whether other keys are allowed. At the top level only for editors and readers, because a guard cannot see keys that
   * it does not ask for.
   */
  readonly additionalProperties?: boolean | ValueSchema;
}

export interface ValueSchema extends Annotations {
  readonly type?: TypeName;
  readonly enum?: readonly Scalar[];
  readonly const?: Scalar;
  /** The value if the key is missing. Must match the schema. */
  readonly default?: unknown;
  /** The schema of an array's items. */
  readonly items?: ValueSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  /** The schemas of an object's properties. */
  readonly properties?: { readonly [name: string]: ValueSchema };
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | ValueSchema;
  /** The minimum length of a string, in code points. */
  readonly minLength?: number;
  readonly maxLength?: number;
  /** A regular expression, with the flag `u`, that must match anywhere in a string. */
  readonly pattern?: string;
  /** The minimum of a number. */
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
}

/** Keywords for readers only. */
interface Annotations {
  readonly title?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly deprecated?: boolean;
  readonly $schema?: string;
  readonly $comment?: string;
}

export type Scalar = string | number | boolean | null;
export type TypeName = "string" | "number" | "integer" | "boolean" | "null" | "array" | "object";

/** The type of a value that matches a schema, from the schema's literal type. */
type ValueOf<Schema> = Schema extends { const: infer Value }
  ? Value
  : Schema extends { enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { type: "array" }
      ? Schema extends { items: infer Items }
        ? readonly ValueOf<Items>[]
        : readonly unknown[]
      : Schema extends { type: "object" }
        ? ObjectOf<Schema>
        : Schema extends { type: infer Name extends keyof ScalarTypes }
          ? ScalarTypes[Name]
          : unknown;

interface ScalarTypes {
  string: string;
  number: number;
  integer: number;
  boolean: boolean;
  null: null;
}

/** Properties that are required or have a default are always present; all others are optional. */
type ObjectOf<Schema> = Schema extends { properties: infer Properties }
  ? Flat<
      {
        readonly [Name in keyof Properties as Name extends Present<Schema, Properties> ? Name : never]: ValueOf<
          Properties[Name]
        >;
      } & {
        readonly [Name in keyof Properties as Name extends Present<Schema, Properties> ? never : Name]?: ValueOf<
          Properties[Name]
        >;
      }
    >
  : Schema extends { additionalProperties: infer Values extends ValueSchema }
    ? { readonly [name: string]: ValueOf<Values> }
    : { readonly [name: string]: unknown };

type Present<Schema, Properties> =
  | (Schema extends { required: readonly (infer Name)[] } ? Name : never)
  | { [Name in keyof Properties]: Properties[Name] extends { default: unknown } ? Name : never }[keyof Properties];

type Flat<Type> = { [Key in keyof Type]: Type[Key] };

/** The type of `context.config`. Without a schema it has no properties. */
export type ConfigOf<Schema> = Schema extends { properties: object } ? ObjectOf<Schema> : Record<never, never>;
