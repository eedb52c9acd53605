// Secrets of this machine that a command shows or sends. path-guard protects them from the other tools.

import type { Command, Pipeline } from "../../../src/shell/command.ts";
import { HOME } from "../../../src/shell/marks.ts";
import { resolve } from "../paths/path.ts";
import { show } from "../paths/protected.ts";
import type { Shell } from "../shell.ts";
import type { Call } from "./call.ts";
import { damageOf } from "./table.ts";

const READ = damageOf("secret-read");
const SENT = damageOf("secret-sent");

/** Secrets in a home or of the system, which no project needs as text. */
const OWN =
  /^(?:~\/(?:\.ssh\/(?!.*\.pub$|known_hosts|config$|authorized_keys)[^/]+|\.ssh$|\.aws\/credentials|\.netrc|\.pgpass|\.my\.cnf|\.git-credentials|\.pypirc|\.docker\/config\.json|\.kube\/config|\.config\/(?:gcloud\/(?:credentials|application_default|access_tokens)|gh\/hosts|rclone\/rclone\.conf|op\/)|\.azure\/|\.vault-token|\.gnupg\/|\.cargo\/credentials|\.terraform\.d\/credentials|\.password-store\/|\.local\/share\/keyrings\/|Library\/Keychains\/)|\/etc\/(?:shadow|gshadow|sudoers)|\/proc\/(?!1\/)[^/]+\/environ)/;
/** Further files that a project may read, and that must not leave the machine. */
const SENDABLE =
  /(?:^|\/)(?:\.env(?:\.(?!example|sample|template|dist|schema)[\w.-]+)?|id_(?:rsa|dsa|ecdsa|ed25519)|[^/]+\.(?:pem|key|p12|pfx|jks|keystore|kdbx)|credentials(?:\.json)?|secrets?\.(?:json|ya?ml|toml|env)|\.npmrc|terraform\.tfstate|service-account[^/]*\.json)$/;

const QUICK =
  /^(?:\/etc|\/proc|\/home|\/root|\/Users|\.\.)|\.env|pem|key|p12|pfx|jks|kdbx|cred|secret|id_|npmrc|tfstate|service-acc/;

function pathOf(shell: Shell, target: string): string {
  shell.spendOnPath(target);
  const { base, segments } = resolve(shell.places.directories.now, target);
  return (base === "root" ? "/" : base === "home" ? "~/" : "./") + segments.join("/");
}

const MAX_PATH = 4_096;

function mayBeSecret(target: string): boolean {
  // Longer words are no paths, and the pattern would be tried at each of their characters.
  return target.length <= MAX_PATH && (target[0] === HOME || QUICK.test(target));
}

export function judgeReading(shell: Shell, call: Call, { redirections }: Command, pipeline: Pipeline): void {
  for (const operand of call.args) if (operand[0] !== "-") readFile(shell, call.name, operand, pipeline);
  for (const { file } of redirections?.inputs ?? []) {
    if (file !== undefined) readFile(shell, call.name, file, pipeline);
  }
}

function readFile(shell: Shell, how: string, file: string, pipeline: Pipeline): void {
  if (!mayBeSecret(file)) return;
  const path = pathOf(shell, file);
  if (OWN.test(path)) {
    shell.hasSecret = true;
    shell.report(READ, show(`${how} ${file}`));
  } else if (SENDABLE.test(path)) shell.environmentIn = pipeline;
}

/** Remembers the pipeline that carries all variables, which often contain tokens. */
export function judgeEnvironment(shell: Shell, { name, args }: Call, _command: Command, pipeline: Pipeline): void {
  const prints = args.length === 0 || (name !== "env" && args.every((arg) => arg === "-p" || arg === "-0"));
  if (prints) shell.environmentIn = pipeline;
}

/** Options whose value is a key for the connection, and is not sent. */
const KEYS: ReadonlySet<string> = new Set(
  "-i -F -E -K --cert --key --cacert --netrc-file --config -S -o -c".split(" "),
);
const COPIES: ReadonlySet<string> = new Set(["scp", "rsync", "sftp", "rclone"]);

export function judgeSending(shell: Shell, call: Call, { redirections }: Command, pipeline: Pipeline): void {
  const { name, args } = call;
  const isCopy = COPIES.has(name);
  if (shell.hasSecret || shell.environmentIn === pipeline) shell.report(SENT, show(`${name} ${args.join(" ")}`));
  const files = redirections?.inputs.flatMap(({ file }) => (file === undefined ? [] : [file])) ?? [];
  for (const [at, arg] of args.entries()) {
    const before = args[at - 1] ?? "";
    // curl takes the same letters for other things than scp.
    if (KEYS.has(before) && !(name === "curl" && before === "-F")) continue;
    const file = /^(?:-[dTF]|--(?:data[a-z-]*|upload-file|form|post-file|body-file)=)?(?:[^@=]*=)?@?(.*)$/s.exec(
      arg,
    )?.[1];
    const isFile =
      isCopy ||
      arg.includes("@") ||
      /^--(?:post|body)-file=/.test(arg) ||
      /^(?:-T|--upload-file|--post-file)$/.test(before);
    if (isFile && file !== undefined && !arg.startsWith("http")) files.push(file);
  }
  for (const file of files) {
    if (!mayBeSecret(file) || /^[\w.-]+@?[\w.-]*:(?!\/\/)/.test(file)) continue;
    const path = pathOf(shell, file);
    if (OWN.test(path) || SENDABLE.test(path)) shell.report(SENT, show(`${name} ${file}`));
  }
}
