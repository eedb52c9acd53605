import { mayComeWithRepository } from "../layer-trust.ts";
import { childEnvironment, type Variables } from "../processes/environment.ts";
import type { Rule } from "../rule.ts";

/** Returns the variables of a rule's own `env`, with values expanded by the rules of the dialect. */
export function ownVariables(
  { codec, layer, keyVariables: withheld }: Rule,
  env: Variables = {},
  parent: Variables,
  platform: NodeJS.Platform,
): Variables {
  const { expandVariable } = codec;
  if (expandVariable === undefined) return env;
  // A file that may come with a repository must not read the user's secrets.
  const { variables } = mayComeWithRepository(layer)
    ? childEnvironment({ inherit: codec.inheritedEnvironment, withheld, parent, dialect: {}, handler: {}, platform })
    : { variables: parent };
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, expandVariable(value ?? "", variables)]));
}
