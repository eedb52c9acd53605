import { type Command, newCommand, newPipeline, type Pipeline } from "../../src/shell/command.ts";
import { readBody } from "../../src/shell/expansions.ts";
import { FETCHED, HERE, HOME, UNKNOWN } from "../../src/shell/marks.ts";
import { readList } from "../../src/shell/parser.ts";
import { ShellReader, type Until } from "../../src/shell/reader.ts";
import type { Heredoc, Scanner } from "../../src/shell/scanner.ts";
import { NETWORK } from "./packs/network.ts";
import { UNREADABLE as READING } from "./packs/unreadable.ts";
import type { Directories } from "./paths/directory.ts";
import { doubtOf, type Protected, type Protection, type Scope } from "./paths/protected.ts";
import { type Damage, type Decision, damageIn } from "./rules/category.ts";
import type { Policy } from "./rules/policy.ts";
import { runsValueOf, Stored } from "./stored.ts";

/** Thrown as soon as the answer is final, so that all readers stop. */
export class Finding {
  readonly decision: Decision;
  readonly reason: string;

  constructor(decision: Decision, reason: string) {
    this.decision = decision;
    this.reason = reason;
  }
}

type Judge = (shell: Shell, command: Command, pipeline: Pipeline) => void;

/**
 * The maximum work, in units of a few hundred fuel. The default budget is 100,000,000 fuel and 1,000 for each byte of
 * input. A text that needs more ends here with a reason, and not as a failed guard.
 */
const MAX_WORK = 830_000;
const WORK_PER_CHARACTER = 4;
const WORK_PER_WORD = 100;
const WORK_PER_TRIAL = 1_500;
const WORK_PER_PATH = 2_900;
const WORK_PER_CHARACTER_OF_PATH = 40;

const REMOTE_CODE = damageIn("network", NETWORK, "remote-code");
const UNREADABLE = damageIn("reading", READING, "unreadable");
const BUILT = damageIn("reading", READING, "code-built");
export const TOO_LONG = damageIn("reading", READING, "too-long");
const FORK_BOMB = damageIn("reading", READING, "fork-bomb");

/** Variables with a fixed expansion, whatever the text assigns to them. */
const FIXED: ReadonlyMap<string, readonly string[]> = new Map([
  ["HOME", [HOME]],
  ["PWD", [HERE]],
  ["IFS", [" "]],
]);

/** A shell that runs nothing. It records what the text has set so far, and judges what the text would do. */
export class Shell extends ShellReader {
  readonly policy: Policy;
  readonly places: Protected;
  /** Variables that the text sets, so that `d=/etc; rm -rf $d` is recognised. */
  #variables: Map<string, readonly string[]> | undefined;
  /** The words of `$1` and the following parameters, if the text sets them: `set -- /; rm -rf "$1"`. */
  parameters: readonly string[] | undefined;
  /** Texts that may run in a way which cannot be followed. `undefined` for most commands. */
  stored: Stored | undefined;
  /** The first reason to ask. A later reason to deny outranks this reason. */
  asked: string | undefined;
  /** The number of judged commands. */
  commands = 0;
  /** Whether every command so far only reads, by the table of safe commands. */
  isSafe = true;
  /** Whether a command has read a secret. */
  hasSecret = false;
  /** The pipeline that carries the environment. */
  environmentIn: Pipeline | undefined;
  /** Functions that remove their arguments with everything in them. */
  removers: Set<string> | undefined;
  /** What runs the commands, if another program does: `python: `. */
  within = "";
  /** The text that the last command prints, if its words show that. */
  printed: string | undefined;
  #isInDoubt = false;
  readonly #judge: Judge;
  /** Whether a word may be the name of a program that the judge knows. */
  readonly #isJudged: (word: string) => boolean;
  /** The words of the commands with arguments. */
  #calls: (readonly string[])[] | undefined;

  constructor(places: Protected, policy: Policy, characters: number, judge: Judge, isJudged = (_word: string) => true) {
    super(readList, MAX_WORK + WORK_PER_CHARACTER * characters);
    this.places = places;
    this.policy = policy;
    this.#judge = judge;
    this.#isJudged = isJudged;
  }

  /** Decides about damage. `what` is the part of the command that does it. */
  report(damage: Damage, what: string): void {
    const decision = this.policy.decide(damage);
    if (decision === "pass") return;
    const { because, instead, name, radius } = damage;
    this.decide(
      decision,
      `${this.within}${what}: ${because} [${name}, blast radius ${radius}]. Safe alternative: ${instead}`,
    );
  }

  decide(decision: Decision, reason: string): void {
    if (decision === "deny") throw new Finding("deny", reason);
    if (decision === "ask") this.ask(reason);
  }

  /** Denies code from elsewhere. */
  denyDownload(what: string): void {
    this.report(REMOTE_CODE, what);
  }

  /** Decides about code that is decoded or built from parts. */
  reportUnseen(what: string): void {
    this.report(BUILT, what);
  }

  ask(reason: string): void {
    this.asked ??= reason;
  }

  /** Decides about a text without damage, if the mode does. */
  endText(): void {
    const { isSafe, policy } = this;
    if (!policy.classifies) return;
    const what = isSafe ? "the commands only read" : "at least one command is not known to only read";
    this.decide(policy.decideClass(isSafe), `${what} [${isSafe ? "safe" : "unknown"}]`);
  }

  /** Records that a quote or a bracket is not closed. The text that was read is still judged. */
  override doubt(why: string): void {
    // The first doubt decides, and a text may have thousands.
    if (this.#isInDoubt) return;
    this.#isInDoubt = true;
    this.decide(this.policy.decide(UNREADABLE), `${UNREADABLE.because}: ${why}`);
  }

  /** Ends reading, because the rest of the text cannot be followed and the user has to look at it. */
  override giveUp(why: string): never {
    if (this.asked !== undefined) throw new Finding("ask", this.asked);
    throw new Finding(this.policy.decide(TOO_LONG), `${TOO_LONG.because}: ${why}`);
  }

  /** Returns what is lost if this path is removed with everything in it; `undefined` if that is not protected. */
  protection(target: string, scope: Scope): Protection | undefined {
    this.spendOnPath(target);
    const found = this.places.protection(target, scope);
    if (found === undefined && this.places.mayProtect(target, scope)) this.ask(doubtOf(target));
    return found;
  }

  /** Returns the directories for a change to `to`. */
  directoriesFor(to: string): Directories {
    this.spendOnPath(to);
    return this.places.directories;
  }

  spendOnPath(target: string): void {
    const { now, current } = this.places.directories;
    const parts = now.segments.length + (current?.before?.segments.length ?? 0);
    this.spend(WORK_PER_PATH + parts * 12 + target.length * WORK_PER_CHARACTER_OF_PATH);
  }

  /** Returns the texts that may run later, to add one or a reason. */
  store(): Stored {
    this.stored ??= new Stored();
    return this.stored;
  }

  /** Takes the name of a variable that is set, or the word that sets a variable. */
  takeName(word: string): void {
    if (runsValueOf(word)) this.mayRun("a shell runs or expands the value of a variable");
  }

  mayRun(why: string): void {
    this.store().why ??= why;
  }

  override take(command: Command, pipeline: Pipeline): void {
    if (command.words.length > 1) {
      this.#calls ??= [];
      this.#calls.push(command.words);
    }
    this.#judge(this, command, pipeline);
  }

  override assign(name: string, values: readonly string[]): void {
    if (values.length > 1) this.store().lists.push(values);
    this.takeName(name);
    // The variable may be a reference to another variable.
    if (/^\w+$/.test(values[0] ?? "")) this.takeName(values[0] ?? "");
    this.#variables ??= new Map();
    this.#variables.set(name, values);
  }

  override takeText(text: string): void {
    this.store().texts.add(text);
  }

  override takeOperand(text: string): void {
    if (text.length > 1) this.store().texts.add(text);
  }

  override runDocument({ expands }: Heredoc, body: string): void {
    this.runScript(expands ? body.replace(/\\([$`\\])/g, "$1") : body);
  }

  override evaluateText(text: string): void {
    const { asked } = this;
    try {
      this.restoring(() => readBody(this, text));
    } catch (finding) {
      if (!(finding instanceof Finding) || finding.decision === "deny" || this.isSpent) throw finding;
    }
    // Most values are not made for evaluation, so an open quote in a value is no reason to ask.
    this.asked = asked;
  }

  override readDifferently(why: string, rest: string): void {
    if (this.stored?.why !== undefined) return;
    this.store().texts.add(rest);
    this.mayRun(why);
  }

  override takeDocument(body: string): void {
    this.store().texts.add(body);
  }

  /** Judges the text of a call, and then the texts in it that may run in a way which cannot be followed. */
  judgeText(text: string): void {
    this.runScript(text);
    if (this.evaluates) this.#runValues();
    const { stored } = this;
    if (stored === undefined) return;
    if (this.evaluates) stored.takeArithmetic();
    if (stored.why === undefined || this.asked !== undefined) return;
    const isRefused = (text: string): boolean => this.#isRefused(() => this.runScript(text));
    for (const text of stored.texts) if (isRefused(text) || stored.partsOf(this, text).some(isRefused)) return;
    // The first unknown word of a command may be any word of another command: `f() { "$@"; }; f rm -rf /`.
    for (const words of [...stored.lists, ...(this.#calls ?? [])]) {
      for (let at = 1; at < words.length; at++) {
        this.spend(WORK_PER_WORD);
        if (!this.#isJudged(words[at] ?? "")) continue;
        if (this.#isRefused(() => this.#judge(this, newCommand(words.slice(at)), newPipeline()))) return;
      }
    }
  }

  /** Whether a word may be the name of a program that the judge knows. */
  mayJudge(word: string): boolean {
    return this.#isJudged(word);
  }

  /** Asks if a text would be denied that may run. */
  tryText(text: string, why: string): void {
    this.#isRefused(() => this.runScript(text), why);
  }

  /** Asks if a command would be denied that the words may mean. */
  tryCommand(words: readonly string[], why: string): void {
    this.#isRefused(() => this.#judge(this, newCommand([...words]), newPipeline()), why);
  }

  /** Whether a part that may run would be denied. Asks in this case, because the part may also be data. */
  #isRefused(read: () => void, why = this.stored?.why): boolean {
    const { asked } = this;
    this.spend(WORK_PER_TRIAL);
    try {
      this.restoring(read);
    } catch (finding) {
      if (!(finding instanceof Finding) || (finding.decision !== "deny" && this.isSpent)) throw finding;
      if (finding.decision === "deny") {
        this.asked = asked;
        this.ask(`${why}, and a text of this command would be refused: ${finding.reason}`);
        return true;
      }
    }
    // A text that is read as commands by way of trial is no reason to ask.
    this.asked = asked;
    return false;
  }

  /** Reads the substitutions in the values of variables: `v='a[$(…)]'; ((v))` runs them. */
  #runValues(): void {
    for (const values of this.#variables?.values() ?? []) {
      for (const value of values) if (/\$\(|`/.test(value)) this.evaluateText(value);
    }
  }

  override valuesOf(name: string): readonly string[] | undefined {
    // An assignment to HOME may not run, so it never makes the home directory unprotected.
    return FIXED.get(name) ?? this.#variables?.get(name) ?? this.#parameter(name);
  }

  /** In the body of a function, the parameters are the words of a call that is read later. */
  #parameter(name: string): readonly string[] | undefined {
    if (this.parameters === undefined || this.defining !== undefined) return undefined;
    if (name === "@" || name === "*") return this.parameters;
    const value = name >= "1" && name <= "9" ? this.parameters[Number(name) - 1] : undefined;
    return value === undefined ? undefined : [value];
  }

  /** Judges a text that gets these words as its parameters: `sh -c 'rm -rf "$1"' sh /`. */
  runWith(parameters: readonly string[] | undefined, text: string): void {
    if (parameters === undefined) {
      this.runScript(text);
      return;
    }
    const { parameters: outer, defining } = this;
    this.parameters = parameters;
    this.defining = undefined;
    try {
      this.runScript(text);
    } finally {
      this.parameters = outer;
      this.defining = defining;
    }
  }

  override substitute(scanner: Scanner): string {
    const { commands, downloads } = this;
    this.readSubshell(scanner, ")");
    if (this.downloads !== downloads) return FETCHED;
    return this.commands === commands + 1 ? (this.printed ?? UNKNOWN) : UNKNOWN;
  }

  override endPipeline(pipeline: Pipeline, scanner: Scanner): void {
    if (pipeline.selfCalls === 0) return;
    const inBackground = scanner.peek() === "&" && !scanner.sees("&&");
    if (pipeline.selfCalls > 1 || inBackground) {
      this.report(FORK_BOMB, "fork bomb");
    }
  }

  /** Reads a subshell, whose `cd` ends with it. */
  override readSubshell(scanner: Scanner, until: Until, from?: Pipeline): void {
    const { directories } = this.places;
    const { current } = directories;
    super.readSubshell(scanner, until, from);
    directories.current = current;
  }
}
