import { cancel, intro, isCancel, log, note, outro, select, text } from "@clack/prompts";
import { HookError } from "../../errors.ts";
import { cleanLine } from "../../text.ts";
import { EXIT } from "../exit-codes.ts";
import type { Console } from "../verb.ts";
import { addHook, type Change, removeHook, switchAll, switchHook } from "./changes.ts";
import { type HooksFile, openHooksFile, saveHooksFile } from "./hooks-file.ts";
import type { Listed } from "./listed-hooks.ts";
import { hooksText } from "./report.ts";
import { trialText } from "./trial-text.ts";
import { tryHook } from "./try-hook.ts";

/** The interactive menu of `hookbox hooks`. */

type Choice = "view" | "add" | "switch" | "remove" | "try" | "all" | "quit";

const SHOWN_AT_ONCE = 12;

/** Thrown if the user presses Ctrl-C or Escape in a question. Nothing changes, and the menu appears again. */
class Withdrawn extends Error {}

export async function hooksMenu(name: string, format: string | undefined, console: Console): Promise<number> {
  intro(`hookbox hooks ${cleanLine(name)}`);
  for (;;) {
    const file = await openHooksFile(name, format, { cwd: console.cwd, mayBeNew: true });
    const choice = await select<Choice>({ message: "Hook action", options: choicesFor(file) });
    if (isCancel(choice) || choice === "quit") {
      outro("Bye");
      return EXIT.done;
    }
    try {
      await act(choice, file, console);
    } catch (error) {
      if (error instanceof Withdrawn) cancel("Nothing was changed");
      else if (error instanceof HookError)
        log.error([error.message, ...(error.hint === undefined ? [] : [error.hint])].join("\n"));
      else throw error;
    }
  }
}

function choicesFor({ hooks, isOff }: HooksFile): { value: Choice; label: string }[] {
  const some: { value: Choice; label: string }[] = [
    { value: "switch", label: "Enable/disable hooks" },
    { value: "remove", label: "Remove a hook" },
    { value: "try", label: "Test a hook with a sample event" },
  ];
  return [
    { value: "view", label: "View hooks" },
    { value: "add", label: "Add a hook" },
    ...(hooks.length === 0 ? [] : some),
    { value: "all", label: isOff ? "Switch all hooks on" : "Switch all hooks off" },
    { value: "quit", label: "Quit" },
  ];
}

async function act(choice: Exclude<Choice, "quit">, file: HooksFile, console: Console): Promise<void> {
  if (choice === "view") console.write(`\n${hooksText(file, console.colour)}\n`);
  else if (choice === "try") {
    const hook = await chosenHook(file, "Select hook to test");
    const printLine = (line: string): void => note(line, "sent from this machine");
    note(
      trialText(await tryHook(file, hook, { payload: undefined, cwd: console.cwd, printLine }), console.colour),
      hook.event,
    );
  } else {
    const change = await changeFor(choice, file);
    await saveHooksFile(file, change.text, change.aside);
    log.success(cleanLine(change.done));
  }
}

async function changeFor(choice: "add" | "switch" | "remove" | "all", file: HooksFile): Promise<Change> {
  if (choice === "add") return added(file);
  if (choice === "remove") return removeHook(file, await chosenHook(file, "Select hook to remove"));
  if (choice === "all") return switchAll(file, file.isOff);
  const hook = await chosenHook(file, "Select hook to toggle");
  return switchHook(file, hook, !hook.enabled);
}

async function chosenHook({ hooks }: HooksFile, message: string): Promise<Listed> {
  const options = hooks.map((hook, index) => ({ value: index, label: label(hook) }));
  const index = answered(await select({ message, options, maxItems: SHOWN_AT_ONCE }));
  return hooks[index] as Listed;
}

function label({ enabled, event, number, summary, description }: Listed): string {
  const state = enabled ? "[enabled]" : "[disabled]";
  return `${state} ${cleanLine(event)} ${number} - ${cleanLine(description ?? summary, 60)}`;
}

async function added(file: HooksFile): Promise<Change> {
  const names = Object.keys(file.dialect.eventNames);
  const options = names.map((name) => ({ value: name, label: name }));
  const event = answered(await select({ message: "Event", options, maxItems: SHOWN_AT_ONCE }));
  const run = answered(
    await text({
      message: "Command",
      validate: (typed) => ((typed ?? "").trim() === "" ? "a command is needed" : undefined),
    }),
  );
  const matcher = answered(await text({ message: "Matcher", placeholder: "empty for all" })) || undefined;
  return addHook(file, event, { type: "command", run, matcher });
}

function answered<Value>(answer: Value): Exclude<Value, symbol> {
  if (isCancel(answer)) throw new Withdrawn();
  return answer as Exclude<Value, symbol>;
}
