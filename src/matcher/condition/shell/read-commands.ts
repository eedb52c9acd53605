import type { Command, ParsedScript, SyntaxNode, Word } from "unbash";
import { describeThrown } from "../../../errors.ts";
import { lazyPackage } from "../../../lazy-package.ts";
import { HOLE, OPTIONAL, withoutMarks } from "../star-pattern.ts";
import { embeddedScripts } from "./embedded-scripts.ts";
import { withoutGitOptions } from "./git-options.ts";
import { type SpelledWord, spell } from "./spelled-word.ts";
import { nameOf, unwrap } from "./wrappers.ts";

/** One simple command, and what it wraps, in the spellings that a pattern is held against. */
export interface ReadCommand {
  /** As it stands in the text. */
  readonly shown: string;
  readonly forms: readonly string[];
  /** Variables or the output of commands are part of it. */
  readonly expands: boolean;
}

export interface ReadCommands {
  readonly commands: readonly ReadCommand[];
  /** Pipelines and whole texts, for patterns that have operators in them. */
  readonly compounds: readonly string[];
  /** Why the list may not be complete. */
  readonly doubt?: string;
}

/** In UTF-16 units. */
export const MAX_COMMAND_LENGTH = 65_536;
/** Scripts within scripts within scripts. */
const MAX_EMBEDDED = 6;
/** Of all texts that are parsed for one command, nested ones counted again. */
const MAX_PARSED_LENGTH = 16 * MAX_COMMAND_LENGTH;
const MAX_FORMS_LENGTH = 4 * MAX_COMMAND_LENGTH;
export const MAX_COMMANDS = 5_000;

const unbash = lazyPackage<typeof import("unbash")>("unbash");

let last: { readonly text: string; readonly read: ReadCommands } | undefined;

/** All commands that a shell would run for this text, as far as that can be told without running it. Never throws. */
export function readCommands(text: string): ReadCommands {
  // Rules come in numbers, and all of an event's look at the same text.
  if (last?.text === text) return last.read;
  const read = new CommandReader().read(text);
  last = { text, read };
  return read;
}

class CommandReader {
  readonly #commands: ReadCommand[] = [];
  readonly #compounds: string[] = [];
  readonly #seen = new Set<string>();
  #doubt: string | undefined;
  #parsedLength = 0;
  #formsLength = 0;

  read(text: string): ReadCommands {
    try {
      for (const variant of variantsOf(text)) this.#script(variant, 0);
    } catch (error) {
      this.#doubt = `it cannot be parsed: ${describeThrown(error)}`;
    }
    const doubt = this.#doubt === undefined ? {} : { doubt: this.#doubt };
    return { commands: this.#commands, compounds: this.#compounds, ...doubt };
  }

  #suspect(doubt: string): undefined {
    this.#doubt ??= doubt;
  }

  #script(text: string, depth: number): undefined {
    if (text.length > MAX_COMMAND_LENGTH) return this.#suspect(`it is longer than ${MAX_COMMAND_LENGTH} characters`);
    if (depth > MAX_EMBEDDED) return this.#suspect(`commands are quoted more than ${MAX_EMBEDDED} times`);
    if (this.#seen.has(text)) return;
    this.#seen.add(text);
    this.#compounds.push(withoutMarks(text.trim()));
    this.#walk(unbash().parse(text), text, depth);
  }

  /** With a stack of its own: expressions nest as deeply as they are long. */
  #walk(root: ParsedScript, text: string, depth: number): void {
    const { forEachChild } = unbash();
    const open: { node: SyntaxNode; source: string; evaluates: boolean }[] = [
      { node: root, source: text, evaluates: false },
    ];
    for (let next = open.pop(); next !== undefined && this.#doubt === undefined; next = open.pop()) {
      const { node } = next;
      let { source, evaluates } = next;
      if (node.type === "Script") {
        source = node.source ?? source;
        this.#parsedLength += node.end - node.pos;
        if (this.#parsedLength > MAX_PARSED_LENGTH) this.#suspect("commands are nested too deeply");
        const [error] = node.errors ?? [];
        if (error !== undefined) this.#suspect(`it cannot be parsed: ${error.message}`);
      } else if (node.type === "Command") this.#command(node, source, depth);
      else if (node.type === "Pipeline") this.#compounds.push(withoutMarks(source.slice(node.pos, node.end)));
      else if (node.type === "Transform") this.#suspect("a variable is expanded in a way that may run its value");
      else if (node.type === "Assignment" || node.type === "TestCommand" || node.type.startsWith("Arithmetic")) {
        evaluates = true;
      } else if (evaluates && node.type === "Word" && quotesCommand(node)) {
        this.#suspect("a variable holds a command as text");
      }
      // A substitution within an assignment has its own quotes.
      if (node.type === "Script") evaluates = false;
      const inside: (typeof open)[number][] = [];
      forEachChild(node, (child) => void inside.push({ node: child, source, evaluates }));
      open.push(...inside.reverse());
    }
  }

  #command(command: Command, source: string, depth: number): undefined {
    const { name, args, redirects } = command;
    const words = [...(name === undefined ? [] : [name]), ...args].map(spell);
    const whole = withoutMarks(source.slice(command.pos, command.end));
    const prefix = command.prefix.filter((part) => part.type === "Assignment").map(spell);
    const wrapped = words.length === 0 ? [] : unwrap(words);
    if (wrapped === undefined) return this.#suspect("too many commands wrap each other");
    const forms = new Set([whole]);
    let expands = prefix.some((word) => word.expands);
    for (const { start, end, isOpen } of wrapped) {
      const inner = words.slice(start, end);
      if (inner[0]?.unknown === true) return this.#suspect(`the name of a command is not known: ${inLine(whole)}`);
      const finish = end === words.length ? command.end : (inner.at(-1)?.end ?? command.end);
      for (const form of formsOf(inner, isOpen)) forms.add(form);
      const bare = withoutGitOptions(inner);
      if (bare !== undefined) for (const form of formsOf(bare, isOpen)) forms.add(form);
      forms.add(withoutMarks(source.slice(inner[0]?.pos ?? command.pos, finish)));
      expands ||= isOpen || inner.some((word) => word.expands);
      const { scripts, doubt } = embeddedScripts(inner, redirects, isOpen);
      for (const script of scripts) for (const variant of variantsOf(script)) this.#script(variant, depth + 1);
      if (doubt !== undefined) this.#suspect(doubt);
    }
    for (const form of forms) this.#formsLength += form.length;
    if (this.#formsLength > MAX_FORMS_LENGTH) return this.#suspect("commands are wrapped too often");
    if (this.#commands.length === MAX_COMMANDS) return this.#suspect(`it has more than ${MAX_COMMANDS} commands`);
    this.#commands.push({ shown: whole, forms: [...forms], expands });
  }
}

/** Single spaces between words, quotes undone; and the same without the folder that the command is taken from. */
function formsOf(words: readonly SpelledWord[], isOpen: boolean): string[] {
  const [name, ...others] = words;
  // A space in a command's name does not end it.
  const first = (name?.text ?? "").replace(/\s/g, "\u0000");
  const rest = others.map((word) => (word.unknown ? `${OPTIONAL} ${HOLE}` : ` ${word.text}`)).join("");
  const more = isOpen ? `${OPTIONAL} ${HOLE}` : "";
  const short = nameOf(name).replace(/\s/g, "\u0000");
  return [...new Set([first, short, short.toLowerCase()])].map((one) => `${one}${rest}${more}`);
}

/** Quoted text that a shell would take for a command once it evaluates the value. */
function quotesCommand(word: Word): boolean {
  return /\$\(|`|\$\{/.test(spell(word).text);
}

/** Where a text means one thing to one shell and another to the next, both. */
function variantsOf(text: string): string[] {
  const variants = [text];
  if (text.includes("\r")) variants.push(text.replace(/\r\n?/g, "\n"));
  // Some locales take other spaces for spaces.
  if (/[^\S\x00-\x7f]/.test(text)) variants.push(text.replace(/[^\S\x00-\x7f]/g, " "));
  return variants;
}

function inLine(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
