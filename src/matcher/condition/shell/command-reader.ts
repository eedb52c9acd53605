import { isAssignment } from "../../../shell/assignments.ts";
import type { Command, Pipeline } from "../../../shell/command.ts";
import { type Run, runsOf, wordsOf } from "../../../shell/inner-commands.ts";
import { isMark, isOpen, SET, UNKNOWN } from "../../../shell/marks.ts";
import { readList } from "../../../shell/parser.ts";
import { mayRunOthers } from "../../../shell/programs.ts";
import { ShellReader } from "../../../shell/reader.ts";
import type { Heredoc, Scanner } from "../../../shell/scanner.ts";
import { isInput, mayRunText, readsDescriptor, type Scripts, scriptsOf } from "../../../shell/scripts.ts";
import type { ReadCommand } from "./command-forms.ts";
import { formsOf } from "./command-forms.ts";
import { spell, withoutPlaces } from "./spelled-word.ts";
import { StoredText } from "./stored-text.ts";

/** Maximum length of a command, in UTF-16 units. */
export const MAX_COMMAND_LENGTH = 65_536;
/** Maximum nesting of scripts within scripts. */
const MAX_EMBEDDED = 6;
/** Maximum length of all texts that are read for one command. Nested texts count again. */
const MAX_READ_LENGTH = 16 * MAX_COMMAND_LENGTH;
const MAX_FORMS_LENGTH = 4 * MAX_COMMAND_LENGTH;
const MAX_COMMANDS = 5_000;
/** Maximum work for one command, about a hundred milliseconds. */
const MAX_WORK = 100_000_000;

class GivenUp extends Error {}

/** Collects all commands of a text, and the first reason why the list may be incomplete. */
export class CommandReader extends ShellReader {
  readonly #commands: ReadCommand[] = [];
  readonly #compounds: string[] = [];
  readonly #seen = new Set<string>();
  #doubt: string | undefined;
  #embedded = 0;
  #readLength = 0;
  #formsLength = 0;
  readonly #stored = new StoredText();
  /** Whether a program starts a shell that reads its inherited input. */
  #waitsForInput = false;
  /** Whether a group or the shell itself has an input, which the group's commands inherit. */
  #feedsShell = false;

  constructor() {
    super(readList, MAX_WORK, { guesses: false, keepsPlaces: true });
  }

  get result(): {
    readonly commands: readonly ReadCommand[];
    readonly compounds: readonly string[];
    readonly doubt?: string;
  } {
    const doubt = this.#doubt === undefined ? {} : { doubt: this.#doubt };
    return { commands: this.#commands, compounds: this.#compounds, ...doubt };
  }

  readText(text: string): void {
    try {
      this.#readVariants(text);
    } catch (error) {
      if (!(error instanceof GivenUp)) throw error;
    }
    this.#doubtIf(this.#stored.conclusion(this.evaluates));
    if (this.#waitsForInput && this.#feedsShell) this.doubt("what a shell reads and runs is not known");
  }

  override doubt(why: string): void {
    this.#doubt ??= why;
  }

  #doubtIf(why: string | undefined): void {
    if (why !== undefined) this.doubt(why);
  }

  override giveUp(why: string): never {
    this.doubt(why);
    throw new GivenUp();
  }

  override valuesOf(): undefined {
    return undefined;
  }

  override assign(name: string, values: readonly string[]): void {
    this.#doubtIf(this.#stored.assigned(name, values));
  }

  override takeOperand(text: string): void {
    this.#stored.takeOperand(text);
  }

  override substitute(scanner: Scanner): string {
    this.readSubshell(scanner, ")");
    return UNKNOWN;
  }

  override takeDocument(body: string): void {
    this.#stored.takeDocument(body);
  }

  override runDocument({ expands }: Heredoc, body: string): void {
    if (expands && /[$`\\]/.test(body)) this.doubt("what a shell reads and runs is not known");
    this.#readVariants(body);
  }

  override endPipeline(_pipeline: Pipeline, { text, at }: Scanner, start: number): void {
    const whole = text.slice(start, at).trim();
    if (whole.includes("|")) this.#compounds.push(whole);
  }

  override take(command: Command, pipeline: Pipeline): void {
    const { words, source, redirections } = command;
    const whole = source.slice(command.start, command.end).trim();
    this.#doubtIf(this.#stored.judge(command));
    if (words.length === 0 || words[0] === "exec") this.#feedsShell ||= (redirections?.inputs ?? []).length > 0;
    if (words.length === 0) {
      if (/^[<>&\d]/.test(whole)) this.#add({ shown: whole, forms: [whole], expands: false });
      return;
    }
    let from = 0;
    while (isAssignment(words[from] ?? "")) from += 1;
    const own = words.slice(from);
    const runs = runsOf(own);
    if (runs === undefined) {
      this.doubt("too many commands wrap each other");
      return;
    }
    const forms = new Set([whole]);
    let expands = words.slice(0, from).some((word) => spell(word).expands);
    for (const run of from === words.length ? [] : runs) {
      const inner = wordsOf(own, run);
      if (!this.#isKnown(inner[0], whole)) return;
      for (const form of formsOf(inner, run.isOpen)) forms.add(form);
      const last = run.end === own.length ? command.end : command.places[2 * (from + run.end) - 1];
      forms.add(source.slice(command.places[2 * (from + run.start)], last).trim());
      expands ||= run.isOpen || inner.some((word) => spell(word).expands);
      this.#runScripts(scriptsOf(inner, run.isOpen), inner, run, command, pipeline);
    }
    this.#add({ shown: whole, forms: [...forms], expands });
  }

  #add(command: ReadCommand): void {
    for (const form of command.forms) this.#formsLength += form.length;
    if (this.#formsLength > MAX_FORMS_LENGTH) this.giveUp("commands are wrapped too often");
    if (this.#commands.length === MAX_COMMANDS) this.giveUp(`it has more than ${MAX_COMMANDS} commands`);
    this.#commands.push(command);
  }

  /** Whether a part of a command's name is known. Records a doubt if the command may run other commands. */
  #isKnown(name: string | undefined, whole: string): boolean {
    if (name !== undefined && (!isOpen(name) || name === SET)) return true;
    const base = name?.slice(name.lastIndexOf("/") + 1) ?? "";
    const isKnown = name !== undefined && !spell(name).unknown;
    const prefix = base.slice(0, [...base].findIndex(isMark));
    if (!isKnown || (isOpen(base) && (mayRunOthers(prefix) || mayRunText(prefix)))) {
      this.doubt(`the name of a command is not known: ${inLine(whole)}`);
    }
    return isKnown;
  }

  #runScripts(scripts: Scripts, inner: readonly string[], run: Run, command: Command, pipeline: Pipeline): void {
    const { texts, input, doubt, evaluates } = scripts;
    const isAlias = inner[0] === "alias";
    this.evaluates ||= evaluates === true;
    for (const text of texts) {
      if (isOpen(text)) this.doubt("the text that is evaluated is not known");
      else this.#readVariants(isAlias ? `${text} ${UNKNOWN}` : withoutPlaces(text));
    }
    if (input !== undefined) this.#runInput(scripts, inner[0] ?? "", run, command, pipeline);
    if (doubt !== undefined) this.doubt(doubt);
  }

  /** Reads the input of a command that runs its input as a script. */
  #runInput(
    { input = "", isFed }: Scripts,
    name: string,
    run: Run,
    { redirections }: Command,
    { piped }: Pipeline,
  ): void {
    const inputs = redirections?.inputs ?? [];
    const own = inputs.filter(({ descriptor }) => readsDescriptor(input, descriptor));
    for (const { text, document, file } of own) {
      if (document !== undefined) document.isScript = true;
      else if (text !== undefined && !isOpen(text)) this.#readVariants(withoutPlaces(text));
      else if (file === undefined || isOpen(file) || isInput(file)) {
        this.doubt(`what ${name} reads and runs is not known`);
      }
    }
    if (own.length > 0 && !run.isOpen) return;
    if (isFed && !piped && this.defining === undefined) this.#waitsForInput = true;
    else this.doubt(`what ${name} reads and runs is not known`);
  }

  #readVariants(text: string): void {
    for (const variant of variantsOf(text)) this.#readScript(variant);
  }

  #readScript(text: string): void {
    if (text.length > MAX_COMMAND_LENGTH) this.giveUp(`it is longer than ${MAX_COMMAND_LENGTH} characters`);
    if (this.#embedded > MAX_EMBEDDED) this.giveUp(`commands are quoted more than ${MAX_EMBEDDED} times`);
    if (this.#seen.has(text)) return;
    this.#seen.add(text);
    this.#stored.takeScript(text);
    this.#readLength += text.length;
    if (this.#readLength > MAX_READ_LENGTH) this.giveUp("commands are nested too deeply");
    this.#compounds.push(text.trim());
    const { unfinished } = this;
    this.unfinished = 0;
    this.#embedded += 1;
    this.runScript(text);
    this.#embedded -= 1;
    if (this.unfinished !== 0 || /(?:&&|\|&?)\s*$/.test(text)) this.doubt("a command is not finished");
    this.unfinished = unfinished;
  }
}

/** Returns all readings of a text that shells interpret differently. */
function variantsOf(text: string): string[] {
  const variants = [text];
  if (text.includes("\r")) variants.push(text.replace(/\r\n?/g, "\n"));
  // In some locales, other whitespace characters also separate words.
  if (/[^\S\x00-\x7f]/.test(text)) variants.push(text.replace(/[^\S\x00-\x7f]/g, " "));
  // A shell joins lines that end with a backslash before it looks for operators and keywords.
  if (text.includes("\\\n")) variants.push(text.replaceAll("\\\n", ""));
  return variants;
}

function inLine(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
