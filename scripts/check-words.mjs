// The words and turns of phrase that this project does not use, with what to write instead. Run by `npm run lint`;
// with paths as arguments, it checks only files below those paths.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Patterns for one sentence at a time. Case does not matter unless the pattern says so. */
const BANNED = [
  [/\bmend(s|ed|ing)?\b/i, "repair, fix, correct"],
  [/\bdear(er|est)?\b/i, "expensive"],
  [/\banew\b/i, "again, or name what is recreated"],
  [/\b(nobody|somebody|everybody)\b/i, "name the role: the user, the caller, the rule's author, another process"],
  [/\b(whoever|whomever|whosoever)\b/i, "name the role: the user, the caller, the attacker"],
  [/\b(told|tell|tells|hears?|heard) of\b/i, "reports, is reported"],
  [/\bcom(e|es|ing) to nothing\b/i, "has no effect"],
  [
    /\b(stand|stands|stood|standing) (in|on|at|before|behind|beside|there|by|alone|under|between|where|twice)\b/i,
    "is, is listed, is written",
  ],
  [/\bthe house\b/i, "the project, src/"],
  [/\brooms?\b/i, "folder; space; capacity"],
  [/\bby itself\b/i, "automatically, alone"],
  [/\b(is|are|be|was|were) sound\b/i, "valid, correct"],
  [/\bmeanwhile\b/i, "while X runs, at the same time"],
  [/\bbesides?\b/i, "next to, with, in addition to"],
  [/\bas far as\b/i, "if, to the extent"],
  [/\bnothing slips\b/i, "say what is guaranteed"],
  [/\b(its|their|of) kin\b/i, "similar ones: name them"],
  [/\bto and fro\b/i, "back and forth"],
  [/\bthereby\b/i, "because of this"],
  [/\b(comes|came|come) of it\b/i, "results"],
  [/\bwhat there is\b/i, "name the thing"],
  [/\bfor want of\b/i, "because there is no"],
  [/\ba good deal\b/i, "much, many"],
  [/\bit is worth while\b/i, "worth it, because"],
  [/\b(lacking|ailing|unfit|ailment)s?\b/i, "missing; problem"],
  // Inversions and riddles at the start of a sentence.
  [/^(Of|For what|To be|Those|That of|What there|Such as|As to|Not that|Nor)\b/, "start with the subject"],
];

const SOURCES = /\.(ts|mjs|cjs|rs|c|h)$/;
const PAGES = /\.md$/;
/** Recorded data, generated pages whose sentences come from sources, licences and other people's words. */
const LEFT_OUT = [
  /(^|\/)(node_modules|dist|coverage)\//,
  /^docs\/(conformance|agent-pages)\.md$/,
  /^guest-sdk\/typescript\/engine\/licences\//,
  /^scripts\/check-words\.mjs$/,
  /^test\/.*\/(fixtures|recorded)\//,
];

const roots = process.argv.slice(2);
const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard", ...roots], { encoding: "utf8" })
  .split("\n")
  .filter((file) => (SOURCES.test(file) || PAGES.test(file)) && !LEFT_OUT.some((pattern) => pattern.test(file)));

/** @typedef {{ line: number, text: string }} Passage */

/** Returns comments, and strings of three words or more, because people read these. @returns {Passage[]} */
function passagesOfSource(text, isTest) {
  const found = [];
  const lineAt = lineFinder(text);
  // Strings are matched too, so that a quote or "//" inside of a string does not start a comment. A regular expression
  // literal may be misread, which costs a passage and never an error.
  const token =
    /\/\*[\s\S]*?\*\/|(?:^|(?<=[\s;{}(),]))\/\/.*(?:\n[ \t]*\/\/.*)*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/gm;
  for (const { 0: raw, index } of text.matchAll(token)) {
    const isComment = raw.startsWith("/*") || raw.startsWith("//");
    // Strings of tests are data, but titles are sentences.
    if (
      !isComment &&
      isTest &&
      !/\b(test|describe|it)(\.\w+)*\($|\)\($/.test(text.slice(Math.max(0, index - 24), index))
    )
      continue;
    if (!isComment && raw.trim().split(/\s+/).length < 4) continue;
    const plain = isComment
      ? raw.replace(/^\/\*\*?|\*\/$/g, "").replace(/^[ \t]*(\*|\/\/\/?!?)[ \t]?/gm, "")
      : raw.slice(1, -1).replace(/\$\{[^}]*\}/g, "X");
    found.push({ line: lineAt(index), text: plain });
  }
  return found;
}

/** Returns text without code blocks, because examples may use any words. @returns {Passage[]} */
function passagesOfPage(text) {
  const prose = text.replace(/^```[\s\S]*?^```/gm, (block) => block.replace(/[^\n]/g, ""));
  const lineAt = lineFinder(prose);
  return [...prose.matchAll(/(?:^.+\n?)+/gm)].map(({ 0: raw, index }) => ({ line: lineAt(index), text: raw }));
}

function lineFinder(text) {
  const starts = [0];
  for (let i = text.indexOf("\n"); i !== -1; i = text.indexOf("\n", i + 1)) starts.push(i + 1);
  return (index) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle] <= index) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  };
}

/** Names that went: options, limits, problems, failures, refusals and losses are called that in code too. */
const OLD_NAMES = /\b\w*(Terms|Misfits?|Flaws?|Unfit|Ailment|Complaints?|Unsayable|Lacking|Violation)\b/;

let count = 0;
for (const file of files) {
  const text = readFileSync(file, "utf8");
  if (file.startsWith("src/") && OLD_NAMES.test(text)) {
    count += 1;
    console.log(`${file}: "${OLD_NAMES.exec(text)?.[0]}" is an old name`);
  }
  const passages = PAGES.test(file) ? passagesOfPage(text) : passagesOfSource(text, /^test\//.test(file));
  for (const passage of passages) {
    // Code between backticks is the program's own text.
    const plain = passage.text.replace(/`[^`]*`|\{@link [^}]*\}/g, "`x`");
    const sentences = plain.split(/(?<=[.!?:;|])\s+|\n\s*\n|\n(?=\s*[-|*#])/);
    for (const sentence of sentences) {
      const flat = sentence
        .replace(/\s+/g, " ")
        .replace(/^[-*|#> ]+/, "")
        .trim();
      for (const [pattern, instead] of BANNED) {
        const match = pattern.exec(flat);
        if (match === null) continue;
        count += 1;
        console.log(`${file}:${passage.line}: "${match[0]}" (${instead}): ${flat.slice(0, 140)}`);
      }
    }
  }
}
if (count > 0) {
  console.error(`${count} uses of words that this project does not use`);
  process.exit(1);
}
