import { type MarkedText, markedText } from "../../../star-pattern.ts";
import type { ReadCommand } from "./command-forms.ts";

export interface ReadForm extends MarkedText {
  readonly command: ReadCommand;
}

/**
 * Index of the distinct forms of a text's commands by their beginning, because thousands of patterns search the forms.
 */
export class FormIndex {
  readonly #forms: readonly ReadForm[];
  /** The forms without a mark and the forms with a mark, each list sorted by the text before the mark. */
  readonly #sorted: readonly (readonly ReadForm[])[];
  readonly #marked = new Map<string, ReadForm[]>();

  constructor(commands: readonly ReadCommand[]) {
    const seen = new Map<string, ReadForm>();
    for (const command of commands)
      for (const form of command.forms) if (!seen.has(form)) seen.set(form, { ...markedText(form), command });
    this.#forms = [...seen.values()];
    for (const form of this.#forms) {
      if (form.mark < 0) continue;
      const known = this.#marked.get(knownStart(form));
      if (known === undefined) this.#marked.set(knownStart(form), [form]);
      else known.push(form);
    }
    const inOrder = (forms: ReadForm[]): ReadForm[] =>
      forms.sort((one, other) => (knownStart(one) < knownStart(other) ? -1 : 1));
    this.#sorted = [
      inOrder(this.#forms.filter(({ mark }) => mark < 0)),
      inOrder(this.#forms.filter(({ mark }) => mark >= 0)),
    ];
  }

  /** Returns all forms that begin with `start`, or may begin with `start`. */
  startingWith(start: string): readonly ReadForm[] {
    if (start === "") return this.#forms;
    const found = this.#sorted.flatMap((forms) => rangeOf(forms, start));
    if (this.#marked.size === 0) return found;
    // Adds forms whose text before the mark is a prefix of `start`.
    for (let length = 0; length < start.length; length++)
      found.push(...(this.#marked.get(start.slice(0, length)) ?? []));
    return found;
  }
}

function knownStart({ text, mark }: ReadForm): string {
  return mark < 0 ? text : text.slice(0, mark);
}

function rangeOf(forms: readonly ReadForm[], start: string): ReadForm[] {
  let low = 0;
  let high = forms.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (knownStart(forms[middle] as ReadForm) < start) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (end < forms.length && knownStart(forms[end] as ReadForm).startsWith(start)) end++;
  return forms.slice(low, end);
}
