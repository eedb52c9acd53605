/** Finds matchers that are written like an `if`, such as `Bash(rm *)`. */

/** Matches `Tool(specifier)`, alone or in a list. */
const FORM = /(?<=^|[|,])\s*([A-Za-z][\w-]*)(\([^()]*\))\s*(?=$|[|,])/g;

interface ConditionForm {
  readonly tool: string;
  /** The specifier with its parentheses. */
  readonly specifier: string;
}

export function conditionForms(matcher: string): readonly ConditionForm[] {
  return [...matcher.matchAll(FORM)].map(([, tool = "", specifier = ""]) => ({ tool, specifier }));
}

export function hintForCondition({ tool, specifier }: ConditionForm): string {
  return `write "matcher": "${tool}", and "if": "${tool}${specifier}" in the hook`;
}
