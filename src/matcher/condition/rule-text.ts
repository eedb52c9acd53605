/** The parts of `Tool` or `Tool(specifier)`. */
type RuleText =
  | { readonly ok: true; readonly tool: string; readonly specifier: string | undefined }
  | { readonly ok: false; readonly message: string; readonly hint?: string };

const MAX_LENGTH = 1_000;
const TOOL = /^[\p{L}\p{N}_*][\p{L}\p{N}_*.:/@-]*$/u;
const FORM = 'write one rule, such as "Bash(git push *)" or "Edit(src/**)"';

export function readRuleText(text: string): RuleText {
  const rule = text.trim();
  if (rule === "") return refuse("the condition is empty", FORM);
  if (rule.length > MAX_LENGTH) {
    return refuse(`the condition is ${rule.length} characters long; the limit is ${MAX_LENGTH}`);
  }
  const open = rule.indexOf("(");
  const tool = (open === -1 ? rule : rule.slice(0, open)).trim();
  if (!TOOL.test(tool)) {
    return refuse(`condition "${rule}" does not start with the name of a tool`, /^!/.test(rule) ? NO_LOGIC : FORM);
  }
  if (open === -1) return { ok: true, tool, specifier: undefined };
  if (!rule.endsWith(")")) {
    return refuse(
      `condition "${rule}" does not end with ")"`,
      /\)\s*(&&|\|\||,|or|and)\s/.test(rule) ? NO_LOGIC : FORM,
    );
  }
  const inside = rule.slice(open + 1, -1);
  if (!closesOnce(inside)) return refuse(`condition "${rule}" is more than one rule`, NO_LOGIC);
  const specifier = inside.replace(/\\([()])/g, "$1").trim();
  if (specifier === "") return refuse(`condition "${rule}" has an empty specifier`, `write "${tool}" for all calls`);
  return { ok: true, tool, specifier };
}

const NO_LOGIC =
  "a condition is one rule, without and, or, not: use several hooks; a parenthesis in a pattern is written \\( or \\)";

/** Whether the parenthesis around the specifier closes only at the end. */
function closesOnce(inside: string): boolean {
  let depth = 0;
  for (let at = 0; at < inside.length; at++) {
    if (inside[at] === "\\") at++;
    else if (inside[at] === "(") depth++;
    else if (inside[at] === ")" && --depth < 0) return false;
  }
  return true;
}

function refuse(message: string, hint?: string): RuleText {
  return { ok: false, message, ...(hint === undefined ? {} : { hint }) };
}
