import { Random } from "../helpers/random.ts";

/** Inputs for guards with the same task in several languages: the same for a seed, on every machine. */

export interface GeneratedCall {
  readonly kind: string;
  /** What the guest reads, byte for byte: a host would reject much of it. */
  readonly input: string;
  /** As the ABI passes it: strings unchanged, everything else as JSON. */
  readonly config: Readonly<Record<string, string>>;
}

const WORDS = ["production", 'prod"uction', "gamma/delta", "ünïcödé", "🚀🚀", "a", "\\", "日本", "line\nbreak"];
const TOOLS = ["Bash", "Bash", "Bash", "Write", "Edit", "Read", "bash", "Bash ", "", "mcp__server__Bash"];
const BITS = [
  "ls -la ",
  "echo ",
  "é",
  "𝒳",
  "\u0000",
  "\t",
  '"',
  "\\",
  "/",
  " \u2028",
  "👩‍👩‍👧",
  "x".repeat(30),
  "%s",
  "</script>",
];

/** A string in JSON, with any of its characters in any equivalent spelling. */
function spelt(random: Random, text: string): string {
  const short: Record<string, string> = { '"': '\\"', "\\": "\\\\", "/": "\\/", "\n": "\\n", "\t": "\\t" };
  const units = [...text].map((character) => {
    const escaped = [...Array(character.length).keys()]
      .map((index) => character.charCodeAt(index).toString(16).padStart(4, "0"))
      .map((hex) => `\\u${random.chance(2) ? hex : hex.toUpperCase()}`)
      .join("");
    if (random.chance(4) || (character < " " && short[character] === undefined)) return escaped;
    if (character === "/" && random.chance(2)) return character;
    return short[character] ?? character;
  });
  return `"${units.join("")}"`;
}

const space = (random: Random): string => random.pick(["", "", "", " ", "\n", "\t", "\r\n  "]);

function object(random: Random, members: readonly (readonly [string, string])[]): string {
  const parts = members.map(
    ([name, value]) =>
      `${space(random)}${spelt(random, name)}${space(random)}:${space(random)}${value}${space(random)}`,
  );
  return `{${parts.join(",")}}`;
}

function phrase(random: Random): string {
  const bits = random.times(random.below(6), () => random.pick(BITS));
  if (!random.chance(4)) bits.push(random.pick(WORDS));
  if (random.chance(3)) bits.push("y".repeat(random.below(80)));
  return random.shuffled(bits).join("");
}

const scalar = (random: Random): string =>
  random.pick(["null", "true", "false", "42", "-0", "0.5e-3", "1E+2", "[]", "{}", '["production"]', '""']);

/** A value that must make no difference in its place. */
function decoy(random: Random): string {
  const inner = object(random, [
    ["command", spelt(random, "production")],
    ["file_path", spelt(random, "production")],
    ["tool_name", '"Bash"'],
  ]);
  return random.pick([inner, `[${inner}]`, spelt(random, inner), object(random, [["tool_input", inner]])]);
}

type Members = (readonly [string, string])[];

function ordinary(random: Random): Members {
  const tool = random.pick(TOOLS);
  const field = tool === "Write" || tool === "Edit" ? "file_path" : "command";
  return [
    ["hook_event_name", spelt(random, "PreToolUse")],
    ["tool_name", spelt(random, tool)],
    [
      "tool_input",
      object(
        random,
        random.shuffled([
          [field, spelt(random, phrase(random))],
          ["timeout", "120000"],
        ]),
      ),
    ],
    ["session_id", spelt(random, phrase(random))],
  ];
}

type Make = (random: Random) => string;
const MEBIBYTE = 1_048_576;

const KINDS: Readonly<Record<string, { readonly share: number; readonly make: Make }>> = {
  ordinary: { share: 110, make: (random) => object(random, random.shuffled(ordinary(random))) },
  decoys: {
    share: 80,
    make: (random) =>
      object(random, random.shuffled([...ordinary(random), ["command", decoy(random)], ["meta", decoy(random)]])),
  },
  "duplicate keys": {
    share: 60,
    make: (random) => object(random, random.shuffled([...ordinary(random), ...ordinary(random)])),
  },
  "wrong types": {
    share: 80,
    make: (random) => {
      const members = ordinary(random);
      const at = random.below(3);
      members[at] = [members[at]?.[0] ?? "", scalar(random)];
      return object(random, members);
    },
  },
  "a text of another type": {
    share: 40,
    make: (random) =>
      object(random, [
        ["hook_event_name", '"PreToolUse"'],
        ["tool_name", random.pick(['"Bash"', '"Write"'])],
        ["tool_input", object(random, [[random.pick(["command", "file_path"]), scalar(random)]])],
      ]),
  },
  "missing members": {
    share: 30,
    make: (random) =>
      object(
        random,
        ordinary(random).filter(() => !random.chance(3)),
      ),
  },
  "other events": {
    share: 20,
    make: (random) =>
      object(random, [
        ...ordinary(random).slice(1),
        ["hook_event_name", random.pick(['"Stop"', '"PreToolUse "', "1"])],
      ]),
  },
  malformed: {
    share: 60,
    make: (random) => {
      const text = object(random, ordinary(random));
      const at = 1 + random.below(text.length - 1);
      return random.pick([
        text.slice(0, at),
        `${text}${random.pick([",", "}", "x", " {}", "\u0000"])}`,
        text.replace(":", random.pick(["", "=", "::"])),
        text.replace("{", random.pick(["{,", "[", "{'a':1,", "{a:1,", "// x\n{"])),
        text.replace('"', '"\\x'),
        text.replace('"', '"\n'),
        text.replace("120000", random.pick(["0120000", "+1", ".5", "1.x", "1e", "NaN", "-", "0x1", "tru"])),
        random.pick(["", " ", "null", "[]", '"PreToolUse"', "7", "{", "\ufeff{}", "nul", "[{}]"]),
      ]);
    },
  },
  "huge and odd numbers": {
    share: 20,
    make: (random) =>
      object(random, [
        ...ordinary(random),
        [
          "n",
          random.pick(["9".repeat(300), `-${"1".repeat(19)}`, "1e308", "5e-324", "1e-9999", `0.${"3".repeat(500)}`]),
        ],
      ]),
  },
  "nested up to 100 deep": {
    share: 15,
    make: (random) => {
      const depth = random.below(100);
      return object(random, [...ordinary(random), ["deep", `${"[".repeat(depth)}${"]".repeat(depth)}`]]);
    },
  },
  "nested beyond every limit": {
    share: 5,
    make: (random) => object(random, [...ordinary(random), ["deep", `${"[".repeat(60_000)}${"]".repeat(60_000)}`]]),
  },
  "a megabyte": {
    share: 4,
    make: (random) => {
      const text = random.pick(["z", "ß", "🚀"]);
      const command = `${text.repeat(MEBIBYTE / Buffer.byteLength(text))}${random.chance(2) ? "production" : ""}`;
      const members = ordinary(random).slice(0, 1);
      return object(random, [
        ...members,
        ["tool_name", '"Bash"'],
        ["tool_input", `{"command":${JSON.stringify(command)}}`],
      ]);
    },
  },
};

function configOf(random: Random): Readonly<Record<string, string>> {
  const list = (most: number): string =>
    JSON.stringify(random.times(random.below(most), () => random.pick(["", ...WORDS])));
  const wrong = (): string => random.pick(["", "production", "{}", "null", "[1]", '["a",]', '["a"', "[[]]", '"a"']);
  const value = (most: number): string => (random.chance(12) ? wrong() : list(most));
  return {
    ...(random.chance(2) ? {} : { words: value(4) }),
    ...(random.chance(4) ? {} : { askWords: value(12) }),
  };
}

/** Some hundred calls, with a share of each kind, mixed. */
export function generateCalls(seed: number): readonly GeneratedCall[] {
  const random = new Random(seed);
  const calls = Object.entries(KINDS).flatMap(([kind, { share, make }]) =>
    random.times(share, () => ({ kind, input: make(random), config: configOf(random) })),
  );
  return random.shuffled(calls);
}
