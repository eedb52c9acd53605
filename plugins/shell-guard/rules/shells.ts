// Programs that run text. Known text is judged like the command itself; downloaded text is refused.

import type { Command, Input, Pipeline } from "../../../src/shell/command.ts";
import { readBody } from "../../../src/shell/expansions.ts";
import { FETCHED, isOpen } from "../../../src/shell/marks.ts";
import { baseName } from "../../../src/shell/programs.ts";
import { readsDescriptor, scriptsOf } from "../../../src/shell/scripts.ts";
import type { Shell } from "../shell.ts";
import type { Call } from "./call.ts";

const WORK_PER_PROGRAM = 1_700;

/** Judges the text that a command runs, if any. */
export function judgeScripts(shell: Shell, words: readonly string[], call: Call, command: Command, pipeline: Pipeline) {
  shell.spend(WORK_PER_PROGRAM);
  const { texts, names, evaluates, file, input, doubt, parameters } = scriptsOf(words, call.takesInput);
  for (const text of texts) {
    if (isOpen(text)) shell.mayRun("the text that is run is not known");
    shell.runWith(parameters, text);
  }
  if (doubt !== undefined) shell.mayRun(doubt);
  for (const name of names ?? []) readBody(shell, name);
  shell.evaluates ||= evaluates === true;
  runOutput(shell, file);
  if (file?.[0] === FETCHED)
    shell.denyDownload(`downloaded text is run by ${call.name === "." ? "the shell" : call.name}`);
  if (input !== undefined && !call.takesInput) judgeInput(shell, call.name, input, command, pipeline);
}

/** Judges a process substitution. Its output replaces the name of its pipe: `bash <(echo rm -rf /)`. */
function runOutput(shell: Shell, file: string | undefined): void {
  if (file === undefined) return;
  if (/\s/.test(file)) shell.runScript(file);
  if (shell.stored?.takeContent(baseName(file), (content) => shell.runScript(content))) return;
  if (shell.stored?.written.has(baseName(file))) shell.mayRun("a file that this command writes is run");
}

/** Judges a shell without a script, which reads commands from its input. */
function judgeInput(shell: Shell, name: string, input: string, { redirections }: Command, pipeline: Pipeline): void {
  const own = redirections?.inputs.filter(({ descriptor }) => readsDescriptor(input, descriptor)) ?? [];
  runInputs(shell, own);
  if (own.some(({ file }) => file?.[0] === FETCHED)) shell.denyDownload(`downloaded text is run by ${name}`);
  if (own.length > 0) return;
  if (pipeline.fetched) shell.denyDownload(`downloaded text is piped to ${name} and runs unseen`);
  const { data } = pipeline;
  if (data?.decoded) shell.reportUnseen(`decoded text is piped to ${name}`);
  const inputs = data?.inputs ?? [];
  if (inputs.length === 0) shell.mayRun(`what ${name} reads and runs is not known`);
  runInputs(shell, inputs);
}

function runInputs(shell: Shell, inputs: readonly Input[]): void {
  for (const { text, document, file } of inputs) {
    runOutput(shell, file);
    if (text !== undefined) shell.runScript(text);
    else if (document === undefined) shell.mayRun("the input of a shell is not known");
    // The body of a here-document starts after the end of the line, and is judged as a script then.
    if (document !== undefined) document.isScript = true;
  }
}
