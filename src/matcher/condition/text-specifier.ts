import type { JsonObject } from "../../json.ts";
import { starPattern } from "../../star-pattern.ts";
import { type CompiledSpecifier, doubt, type Fit, type Specifier, shown, textsIn } from "./specifier.ts";

/** Compiles a name or another text with `*`: `Agent(Explore)`, `Skill(deploy *)`. */
export function textSpecifier(text: string): CompiledSpecifier {
  const base = /^(.*?)(?:\s+\*|:\*)$/s.exec(text)?.[1];
  const patterns = (base === undefined ? [text] : [base, `${base} *`]).map(starPattern);
  return {
    ok: true,
    specifier: (input, { fields }, steps) => {
      const texts = fields.length === 0 ? onlyText(input) : textsIn(input, fields);
      const fits = (texts ?? allTexts(input)).some((one) => patterns.some((pattern) => pattern.matches(one, steps)));
      if (texts === undefined && !fits)
        return doubt("the tool's input has several texts, and it is not known which one is meant");
      return { fits, why: `${fits ? "matches" : "does not match"} "${shown(...(texts ?? []))}"` };
    },
  };
}

function allTexts(input: JsonObject): readonly string[] {
  return Object.values(input).filter((value) => typeof value === "string");
}

/** Returns the only text in the input of an unknown tool. Returns `undefined` if there are several texts. */
function onlyText(input: JsonObject): readonly string[] | undefined {
  const texts = allTexts(input);
  return texts.length === 1 ? texts : undefined;
}

const PARAMETER = /^([A-Za-z_][\w.-]*):([\s\S]*)$/;

/** Compiles `NAME:VALUE`, a field of the input and its value with `*`. Returns `undefined` for other specifiers. */
export function parameterSpecifier(text: string): Specifier | undefined {
  const [, name, value] = PARAMETER.exec(text) ?? [];
  if (name === undefined || value === undefined) return undefined;
  const pattern = starPattern(value.trim());
  return (input, _, steps): Fit => {
    const actual = Object.hasOwn(input, name) ? input[name] : undefined;
    if (actual === undefined || actual === null) return { fits: false, why: `has no parameter "${name}"` };
    if (typeof actual === "object") return doubt(`the parameter "${name}" is an object or a list`);
    const fits = pattern.matches(String(actual), steps);
    return { fits, why: `${fits ? "matches" : "does not match"} ${name} "${shown(String(actual))}"` };
  };
}
