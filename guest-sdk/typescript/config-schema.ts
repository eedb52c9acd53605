/**
 * The part of JSON schema that a guard's `config` may be described with. What stands here is checked when the guard is
 * built (a keyword that nobody checks would be a promise that nobody keeps) and holds for each call.
 */
export interface ConfigSchema extends Annotations {
  readonly type: "object";
  readonly properties?: { readonly [name: string]: ValueSchema };
  readonly required?: readonly string[];
  /** The guest cannot see keys that it does not ask for, so at the top this is for editors and for readers. */
  readonly additionalProperties?: boolean | ValueSchema;
}

export interface ValueSchema extends Annotations {
  readonly type?: TypeName;
  readonly enum?: readonly Scalar[];
  readonly const?: Scalar;
  /** Taken where the value is missing. Must fit the schema. */
  readonly default?: unknown;
  /** Of an array. */
  readonly items?: ValueSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  /** Of an object. */
  readonly properties?: { readonly [name: string]: ValueSchema };
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | ValueSchema;
  /** Of a string, in code points. */
  readonly minLength?: number;
  readonly maxLength?: number;
  /** Of a string: a regular expression, with the flag `u`, that must match somewhere. */
  readonly pattern?: string;
  /** Of a number. */
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
}

/** Keywords that only people read. */
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

/** The type of what a schema describes, from its literal. */
export type ValueOf<Schema> = Schema extends { const: infer Value }
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

/** Properties that are required or have a default are there; all others may be missing. */
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

/** The type of `context.config`. Without a schema there is nothing to read. */
export type ConfigOf<Schema> = Schema extends { properties: object } ? ObjectOf<Schema> : Record<never, never>;
