// Finds secrets on command lines, which may follow an option and a space: `--password hunter2`, `curl -u user:hunter2`.

import { assignedAt } from "./assignments.ts";
import { isSecretName } from "./names.ts";
import { isPassword, PLACEHOLDER } from "./values.ts";

const WORK_PER_OPTION = 250;
const WORK_PER_PROGRAM = 1_500;
const WORK_PER_CHARACTER = 8;

/** Matches an option and the spaces after it. An option with `=` is found as an assignment. */
const OPTION = /--([A-Za-z][\w-]{2,40})[ \t]+(?!-)/y;

/** Returns the secret after the option whose dashes are at a place in a text. */
export function secretOfOption(text: string, at: number, spend: (work: number) => void): string | undefined {
  spend(WORK_PER_OPTION);
  OPTION.lastIndex = at;
  const name = OPTION.exec(text)?.[1]?.toLowerCase();
  return name === undefined || !isSecretName(name) ? undefined : assignedAt(text, OPTION.lastIndex, name, spend);
}

const QUOTED = `(?:"([^"\\n]{6,200})"|'([^'\\n]{6,200})'|([^\\s"'$;|&<>-][^\\s"'$;|&<>]{5,200}))`;
const USER = /[ \t](?:-[a-zA-Z]{0,5}u|--(?:proxy-)?user)[ \t=]*["']?[^\s:"'$]{1,64}:([^\s"']{8,200})/;

/** Programs that take a password after a short option, and the option. */
const PROGRAMS: ReadonlyMap<string, RegExp> = new Map([
  ["curl", USER],
  ["http", / (?:-a|--auth)[ =]["']?[^\s:"'$]{1,64}:([^\s"']{6,200})/],
  ["sshpass", new RegExp(` -p *${QUOTED}`)],
  ["mysql", new RegExp(` -p${QUOTED}`)],
  ["mysqldump", new RegExp(` -p${QUOTED}`)],
  ["mysqladmin", new RegExp(` -p${QUOTED}`)],
  ["mariadb", new RegExp(` -p${QUOTED}`)],
  ["redis-cli", new RegExp(` -a +${QUOTED}`)],
  ["docker", new RegExp(` login .*?-p *${QUOTED}`)],
  ["podman", new RegExp(` login .*?-p *${QUOTED}`)],
  ["ldapsearch", new RegExp(` -w +${QUOTED}`)],
  ["az", new RegExp(` login .*?-p +${QUOTED}`)],
  ["sqlcmd", new RegExp(` -P +${QUOTED}`)],
  ["mongosh", new RegExp(` -p +${QUOTED}`)],
  ["smbclient", / -U +["']?[^\s%"'$]{1,64}%([^\s"']{6,200})/],
  ["openssl", /-pass(?:in|out)? +pass:([^\s"']{6,200})/],
  ["htpasswd", new RegExp(` -[a-zA-Z]*b[a-zA-Z]* +\\S+ +\\S+ +${QUOTED}`)],
  ["7z", new RegExp(` -p${QUOTED}`)],
  ["zip", new RegExp(` -P +${QUOTED}`)],
]);
const NAME = new RegExp(`\\b(?:${[...PROGRAMS.keys()].join("|")})(?= )`, "g");
/** The maximum length of a text with commands. Longer texts are files, in which only curl is looked for. */
const MAX_COMMAND = 4_096;

/** Returns the passwords that programs take after a short option. */
export function passwordsOfPrograms(text: string, spend: (work: number) => void): string[] {
  const passwords: string[] = [];
  for (const [name, options] of programsIn(text)) {
    spend(WORK_PER_PROGRAM + options.length * WORK_PER_CHARACTER);
    const password = PROGRAMS.get(name)
      ?.exec(options)
      ?.slice(1)
      .find((part) => part !== undefined);
    if (password !== undefined && !PLACEHOLDER.test(password) && isPassword(password, true)) passwords.push(password);
  }
  return passwords;
}

/** Returns names of programs with the rest of their command. */
function programsIn(text: string): (readonly [name: string, options: string])[] {
  const found: (readonly [string, string])[] = [];
  const isFile = text.length > MAX_COMMAND;
  for (let from = 0; ; ) {
    NAME.lastIndex = from;
    const at = isFile ? text.indexOf("curl ", from) : (NAME.exec(text)?.index ?? -1);
    if (at < 0) return found;
    const name = isFile ? "curl" : text.slice(at, NAME.lastIndex);
    OPTIONS.lastIndex = at + name.length;
    const options = OPTIONS.exec(text)?.[0] ?? "";
    found.push([name, options]);
    from = at + name.length + options.length;
  }
}

const OPTIONS = /[^\n;|]{0,400}/y;
