import { GO_FIELDS } from "../../templates/go-fields.ts";
import { parseGoTemplate, renderGoTemplate } from "../../templates/go-template.ts";
import { addText, type BuiltinHook, failed } from "./builtin.ts";

/** Adds text from templates that are filled with the event. A template whose result is blank adds no line. */
export const addContext: BuiltinHook = {
  problemOf: (args) => {
    for (const [i, arg] of args.entries()) {
      const parsed = parseGoTemplate(arg, GO_FIELDS);
      if (parsed.ok) continue;
      return `argument ${i + 1} is not a valid template: line ${parsed.line}, column ${parsed.column}: ${parsed.message}`;
    }
    return undefined;
  },
  run: async ({ args, hookInput }) => {
    const input = hookInput();
    if (input === undefined) return failed("capability", "the event cannot be written as JSON");
    const texts: string[] = [];
    for (const [i, arg] of args.entries()) {
      const parsed = parseGoTemplate(arg, GO_FIELDS);
      const rendered = parsed.ok ? renderGoTemplate(parsed.template, input) : parsed;
      if (!rendered.ok) return failed("capability", `argument ${i + 1}: ${rendered.message}`);
      if (rendered.text.trim() !== "") texts.push(rendered.text);
    }
    return addText(texts.join("\n"));
  },
};
