import type { JsonObject } from "../../json.ts";
import { readStrictText } from "../../strict-json.ts";
import { canonicalJson, lettersOf, type Region, regionsOf } from "./json-in-text.ts";

/**
 * Reads a judge's answer: the whole text, one fenced block, or objects in prose. An attacker may have written a part of
 * the text that the model read. Therefore a "yes" counts only if the answer is unambiguous: all its objects agree, none
 * is a quotation of the event, and no other word contradicts it. A "no" always counts.
 */

/** The form of an object that counts as an answer. */
export interface AnswerShape<Answer> {
  /** The field that makes an object an answer. */
  readonly key: string;
  readonly read: (json: JsonObject) => ShapeRead<Answer>;
  readonly isYes: (answer: Answer) => boolean;
  /** A positive answer as JSON, reduced to its letters: `oktrue` for `{"ok":true}`. */
  readonly yes: string;
}

export type ShapeRead<Answer> =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly message: string };

const FENCED = /^```[\w-]*[ \t]*\n([\s\S]*?)\n?[ \t]*```$/;

/** The maximum number of objects in a text. Each object is read, and one object is the answer. */
const MAX_OBJECTS = 64;

/** Words that contradict a "yes" in the prose around it. */
const CONTRARY =
  /(?:^|[\n.:*])\s*no\b|\b(?:must|should|may) ?n(?:o|['’])t\b|\b(?:injection|malicious|manipulat\w*)\b|\b(?:den(?:y|ied|ies|ial)|refus(?:e|es|ed|al)|reject(?:s|ed)?|block(?:s|ed)?|forbid(?:s|den)?|disallow(?:s|ed)?|unsafe|ask|not (?:ok|okay|safe|allow|allowed|permitted|approved?))\b|\b(?:ok|decision)["'`*]*\s*(?:[:=]|is)\s*["'`*]*\w/i;

/** Values that contradict a "yes" in another field of the object. */
const CONTRARY_VALUE = /\b(?:false|no|not)\b/i;

/** Reads an answer. `payload` is the event that the model saw and may quote. */
export function readAnswer<Answer>(text: string, shape: AnswerShape<Answer>, payload: string): ShapeRead<Answer> {
  const whole = text.trim();
  if (whole === "") return no("the model answered nothing");
  const only = FENCED.exec(whole)?.[1]?.trim() ?? whole;
  if (isJson(only)) {
    const json = readStrictText(only, "the model's answer");
    return json.ok ? named(shape.read(json.value)) : no(json.message);
  }
  return readAmongProse(whole, shape, payload);
}

function readAmongProse<Answer>(text: string, shape: AnswerShape<Answer>, payload: string): ShapeRead<Answer> {
  const { regions, prose } = regionsOf(text);
  if (regions.length > MAX_OBJECTS) {
    return no(`the model's answer has ${regions.length} objects; ${MAX_OBJECTS} are read at most`);
  }
  const found: { readonly region: Region; readonly json: JsonObject; readonly answer: Answer }[] = [];
  let stray = false;
  for (const region of regions) {
    const json = readStrictText(region.text);
    if (!json.ok || !Object.hasOwn(json.value, shape.key)) {
      stray ||=
        lettersOf(region.text).includes(shape.key) || CONTRARY_VALUE.test(region.text) || CONTRARY.test(region.text);
      continue;
    }
    const read = shape.read(json.value);
    if (!read.ok) return named(read);
    found.push({ region, json: json.value, answer: read.answer });
  }
  const [first] = found;
  if (first === undefined) return no(`the model's answer has no well-formed object with "${shape.key}"`);
  const said = canonicalJson(first.json);
  if (found.some(({ json }) => canonicalJson(json) !== said)) {
    return no(`the model's answer has ${found.length} objects that do not agree`);
  }
  if (!shape.isYes(first.answer)) return { ok: true, answer: first.answer };
  const doubt = stray
    ? "another object in the answer is not well-formed, or says otherwise"
    : found.some(({ region }) => !region.isApart)
      ? "it is part of something else"
      : isQuotation(first.json, shape.yes, payload)
        ? "the event that was judged has one in it, and this may be a quotation"
        : CONTRARY.test(prose)
          ? "the words around it may say otherwise"
          : undefined;
  return doubt === undefined ? { ok: true, answer: first.answer } : no(`the model's yes does not count: ${doubt}`);
}

/** Whether an object may be a quotation: the event contains a "yes" and all other words of the object. */
function isQuotation(json: JsonObject, yes: string, payload: string): boolean {
  const shown = lettersOf(payload);
  const texts = Object.values(json).filter((value) => typeof value === "string");
  return [yes, ...texts.map(lettersOf)].every((part) => shown.includes(part));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function named<Answer>(read: ShapeRead<Answer>): ShapeRead<Answer> {
  return read.ok ? read : no(`the model's answer cannot be used: ${read.message}`);
}

function no(message: string): { readonly ok: false; readonly message: string } {
  return { ok: false, message };
}
