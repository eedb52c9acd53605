import { childEnvironment, type Variables } from "../processes/environment.ts";
import { mayComeWithRepository, type Rule } from "../rule.ts";

/** What a rule's own `env` adds to a process, with what its dialect has values stand for. */
export function ownVariables(
  { codec, layer, keyVariables: withheld }: Rule,
  env: Variables = {},
  parent: Variables,
  platform: NodeJS.Platform,
): Variables {
  const { expandVariable } = codec;
  if (expandVariable === undefined) return env;
  // Who writes a file that may come with a repository is not who may name the user's secrets.
  const { variables } = mayComeWithRepository(layer)
    ? childEnvironment({ inherit: codec.inheritedEnvironment, withheld, parent, dialect: {}, handler: {}, platform })
    : { variables: parent };
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, expandVariable(value ?? "", variables)]));
}
