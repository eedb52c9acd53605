import { type Layer, type Piece, quoted } from "./layer.ts";
import { LAYERS } from "./layers.ts";
import { Random } from "./random.ts";

/** A command that a shell runs, in an unusual spelling. */
interface Spelling {
  readonly text: string;
  readonly layers: readonly string[];
}

/** A program with its arguments, in words without anything special. */
interface Target {
  readonly program: string;
  readonly args: string;
}

const RANK = { words: 0, simple: 1, list: 2 } as const;
const MAX_LENGTH = 6_000;

/** Spelling number `index` of a seed; the same for the same three. */
export function spell(target: Target, seed: number, index: number): Spelling {
  const random = new Random(seed * 1_000_003 + index);
  let piece = named(target, random);
  const depth = 1 + random.below(4);
  for (let level = 0; level < depth; level++) {
    // Each layer is drawn as the first one for some spelling.
    const start = level === 0 ? index : random.below(LAYERS.length);
    piece = around(piece, start, random);
  }
  return { text: piece.text, layers: piece.layers };
}

function around(piece: Piece, start: number, random: Random): Piece {
  for (let step = 0; step < LAYERS.length; step++) {
    const layer = LAYERS[(start + step) % LAYERS.length] as Layer;
    if (RANK[piece.kind] > RANK[layer.takes]) continue;
    if (layer.onLine === true && piece.text.includes("\n")) continue;
    const text = layer.write(piece.text, random);
    if (text.length > MAX_LENGTH) continue;
    return { text, kind: layer.gives, layers: [...piece.layers, layer.name] };
  }
  return piece;
}

/** The program's name in one of the ways that Bash accepts, some of which only Bash can resolve. */
function named({ program, args }: Target, random: Random): Piece {
  const [first = "", ...others] = program;
  const rest = others.join("");
  const code = first.charCodeAt(0);
  const [name, layer] = random.of([
    [program, "plain"],
    [program, "plain"],
    [`${first}\\${rest}`, "backslash"],
    [`\\${program}`, "backslash before"],
    [`'${program}'`, "quotes"],
    [`"${program}"`, "double quotes"],
    [`${first}''${rest}`, "empty quotes"],
    [`${first}"${rest}"`, "half in quotes"],
    [`$'\\x${code.toString(16)}${rest}'`, "hexadecimal"],
    [`$'\\${code.toString(8).padStart(3, "0")}${rest}'`, "octal"],
    [`$'\\u00${code.toString(16)}'${rest}`, "code point"],
    [`$'${program}\\0x'`, "text behind a zero"],
    [`$"${program}"`, "translated"],
    [`/bin/${program}`, "path"],
    [`/usr/../bin//${program}`, "winding path"],
    [`/bin/${first}?`, "question mark"],
    [`/bin/[${first}]${rest}`, "set"],
    [`/bin/${first}*${rest}`, "star"],
    [`{${program},${args.split(" ")[0] ?? "x"}}`, "braces"],
    [`{${first}..${first}}${rest}`, "range"],
    [`{,${program}}`, "empty choice"],
    [`{,} ${program}`, "empty choices before"],
    [`shopt -s extglob\n/bin/@(${program})`, "one of"],
    [`shopt -s extglob\n/bin/+(${first})${rest}`, "some of"],
    [`shopt -s extglob; eval '/bin/${first}*(x|${rest}) ${args}';:`, "any of"],
    [`shopt -s extglob; eval '/bin/${first}?(${rest}) ${args}';:`, "perhaps"],
    [`shopt -s extglob; eval '/bin/!([!${first}]*|${first}[!${rest}]*|${program}?*) ${args}';:`, "none of"],
    [`shopt -s extglob; eval 'cd /bin; @(${program}) ${args}';:`, "one of here"],
    [`bash -O extglob -c 'cd /bin; @(x|${program}) ${args}';:`, "one of in a text"],
    [`\${nothing:-${program}}`, "default"],
    [`\${nothing-${first}}${rest}`, "default of a part"],
    [`$(echo ${program})`, "output"],
    [`${first}$(echo ${rest})`, "output of a part"],
    [`\`echo ${program}\``, "output in backticks"],
    [`${first}"$nothing"${rest}`, "empty variable"],
    [`${first}\${nothing}${rest}`, "empty variable in braces"],
    [`$nothing ${program}`, "empty variable before"],
    [`${first}\\\n${rest}`, "continued line"],
    [`cp /bin/${program} c; ./c`, "copy"],
    [`ln -sf /bin/${program} c; ./c`, "link"],
    [`v='5 ${program}'; timeout $v`, "value of several words"],
  ] as const);
  if (/[;\n]/.test(name.replaceAll("\\\n", "")))
    return { text: `${name} ${args}`, kind: "list", layers: [`name: ${layer}`] };
  return { text: `${name} ${args}`, kind: "words", layers: [`name: ${layer}`] };
}

/** Ways to contain the text of a command without running it. */
const DATA: readonly ((text: string, random: Random) => string)[] = [
  (text, random) => `echo ${quoted(text, random)}`,
  (text, random) => `printf '%s\\n' ${quoted(text, random)} | cat`,
  (text, random) => `git commit -m ${quoted(text, random)} || true`,
  (text, random) => `: ${quoted(text, random)}`,
  (text, random) => `grep -F -e ${quoted(text, random)} /etc/words`,
  (text, random) => `[[ ${quoted(text, random)} == y ]]`,
  (text, random) => `[ -z ${quoted(text, random)} ] && echo y`,
  (text, random) => `cat <<<${quoted(text, random)}`,
  (text, random) => `for word in ${quoted(text, random)}; do echo "$word"; done`,
  (text, random) => `case ${quoted(text, random)} in y) echo y ;; esac`,
  (text, random) => `timeout 5 echo ${quoted(text, random)}`,
  (text, random) => `echo y > f; cat f ${quoted(text, random)} 2>/dev/null`,
  (text, random) => `if ls ${quoted(text, random)} 2>/dev/null; then echo y; fi`,
  (text) => `cat <<'E_O_F'\n${text}\nE_O_F`,
  (text) => `cat > f <<\\E_O_F\n${text}\nE_O_F\ncat f`,
  (text) => `true # ${text.replaceAll("\n", "\n# ")}`,
  (text) => `# ${text.replaceAll("\n", "\n# ")}\ntrue`,
  (text) => `echo ${text.replace(/[^\w\n]/g, (sign) => `\\${sign}`).replaceAll("\n", " ")}`,
];

/** The same text as data: quoted, printed, commented, in a here-document. Nothing of it runs. */
export function spellAsData(target: Target, seed: number, index: number): string {
  const { text } = spell(target, seed, index);
  const random = new Random(seed * 999_983 + index);
  return (DATA[index % DATA.length] as (typeof DATA)[number])(text, random);
}
