// Finds secrets on command lines, which may follow an option and a space: `--password hunter2`, `curl -u user:hunter2`.

import { assignedAt, isPassword, isSecretName, PLACEHOLDER } from "./assignments.ts";

const WORK_PER_OPTION = 250;
const WORK_PER_CURL = 1_500;
/** The maximum length of the options of one call of curl. Later text is searched for the next call. */
const MAX_CURL = 400;

/** Matches an option and the spaces after it. An option with `=` is found as an assignment. */
const OPTION = /--([A-Za-z][\w-]{2,40})[ \t]+(?!-)/y;
const USER = /[ \t](?:-[a-zA-Z]{0,5}u|--(?:proxy-)?user)[ \t=]*["']?[^\s:"'$]{1,64}:([^\s"']{8,200})/;

export function* secretsInOptions(text: string, spend: (work: number) => void): Generator<string> {
  for (let at = text.indexOf("--"); at >= 0; at = text.indexOf("--", at + 2)) {
    spend(WORK_PER_OPTION);
    OPTION.lastIndex = at;
    const name = OPTION.exec(text)?.[1]?.toLowerCase();
    if (name === undefined || !isSecretName(name)) continue;
    const value = assignedAt(text, OPTION.lastIndex, name, spend);
    if (value !== undefined) yield value;
  }
}

export function* passwordsOfCurl(text: string, spend: (work: number) => void): Generator<string> {
  for (let at = text.indexOf("curl "); at >= 0; at = text.indexOf("curl ", at + MAX_CURL)) {
    spend(WORK_PER_CURL);
    const password = USER.exec(text.slice(at, at + MAX_CURL))?.[1];
    if (password !== undefined && !PLACEHOLDER.test(password) && isPassword(password, true)) yield password;
  }
}
