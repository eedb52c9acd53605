import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** The fenced code blocks of the pages, and what the words after each block's language say about it. */

export const ROOT = resolve(import.meta.dirname, "../..");

export interface Block {
  readonly page: string;
  /** The line of the opening fence. */
  readonly line: number;
  readonly language: string;
  /** The kind of the block, if its language does not determine it: "guard", "hook". */
  readonly kind: string | undefined;
  /** The file with the block's text, in the folder of its page. */
  readonly file: string | undefined;
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
}

const FENCE = /^```(.*)\n([\s\S]*?)^```$/gm;
const WORD = /([\w-]+)="([^"]*)"|\S+/g;

const markdownIn = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md") && !/(^|\/)(node_modules|target)\//.test(file))
    .map((file) => `${folder}/${file}`)
    .sort();

export const PAGES: readonly string[] = [
  ...["README.md", "CONTRIBUTING.md", "SECURITY.md"],
  ...markdownIn("docs"),
  ...markdownIn("guest-sdk"),
];

export const textOf = (page: string): string => readFileSync(join(ROOT, page), "utf8");

/** A word with a dot is the block's file, another word its kind, and `name="value"` an attribute. */
export function blocksOf(page: string, markdown = textOf(page)): readonly Block[] {
  return [...markdown.matchAll(FENCE)].map(({ 1: info = "", 2: text = "", index }) => {
    const words = [...info.matchAll(WORD)];
    const plain = words.flatMap(([word, name]) => (name === undefined ? [word] : []));
    const [language = "", ...others] = plain;
    return {
      page,
      line: markdown.slice(0, index).split("\n").length,
      language,
      kind: others.find((word) => !word.includes(".")),
      file: others.find((word) => word.includes(".")),
      attributes: Object.fromEntries(
        words.flatMap(([, name, value = ""]) => (name === undefined ? [] : [[name, value]])),
      ),
      text,
    };
  });
}
