// The hosts that common programs reach, by their arguments.

import { UNKNOWN } from "../../src/shell/marks.ts";
import { type Call, operandsOf } from "../shell-guard/rules/call.ts";

/** A place that a command reaches: a URL or a host. `isOpen`: the text does not show the place. */
export interface Target {
  readonly text: string;
  readonly isOpen?: true;
}

type Targets = (call: Call) => Iterable<Target>;

const TARGETS = new Map<string, Targets>();

function program(names: string, targets: Targets): void {
  for (const name of names.split(" ")) TARGETS.set(name, targets);
}

const isUrl = (word: string): boolean => /^[a-z][a-z\d+.-]*:\/\//i.test(word);
/** Matches a host with a dot, a port or a path, and addresses in any spelling. */
const HOST =
  /^(?:[\w-]+\.)+[\w-]+(?:[:/?#]|$)|^localhost(?:[:/?#]|$)|^\[[\da-f:.]+\]|^(?:0x[\da-f]+|\d{5,})(?:[:/?#]|$)/i;

program("curl wget http https xh curlie aria2c lynx links w3m irm iwr Invoke-WebRequest Invoke-RestMethod", ofClient);
program("git", ofGit);
program("ssh sftp ftp telnet nc ncat netcat socat mosh", ofConnection);
program("scp rsync", ofCopy);
program("npm npx pnpm pnpx yarn bun bunx", ofNpm);
// The usual registry has a name of its own, because the host depends on the settings of the machine.
program("pip pip3 pipx uv uvx", ofRegistry(/^(?:install|download|add|run|tool|sync|wheel)$/, "python.registry"));
program("cargo", ofRegistry(/^(?:install|add|fetch|update|publish|search)$/, "rust.registry"));
program("gem bundle", ofRegistry(/^(?:install|update|push|fetch|add)$/, "ruby.registry"));
program("go", ofRegistry(/^(?:get|install|mod)$/, "go.registry"));
program("docker podman nerdctl", ofImages);

/** Returns the places that a command reaches. */
export function targetsOf(call: Call): Iterable<Target> {
  return TARGETS.get(call.name)?.(call) ?? [];
}

const target = (text: string): Target => (text.includes(UNKNOWN) ? { text, isOpen: true } : { text });

/** Options of clients whose value is no URL. */
const VALUED =
  /^(?:-[AbcCdDeEFHKmoPQrtTuUwXyYz]|--(?:data(?:-\w+)*|header|user(?:-agent)?|output(?:-document)?|request|method|cookie(?:-jar)?|form|max-time|connect-timeout|retry|cacert|cert|key|write-out|range|referer|upload-file|config|post-(?:data|file)|body-(?:data|file)|directory-prefix|tries|timeout|wait|limit-rate))$/;
/** Options of clients whose value is a place. */
const PLACED = /^(?:-x|--(?:url|proxy|preproxy|socks5|socks5-hostname|connect-to|resolve|doh-url|base|post301))$/;

function* ofClient({ name, args }: Call): Generator<Target> {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const [, option, value] = /^(--[\w-]+)=(.*)$/s.exec(arg) ?? [];
    if (option !== undefined) {
      if (PLACED.test(option)) yield target(value ?? "");
    } else if (PLACED.test(arg)) {
      at += 1;
      // `--resolve HOST:PORT:ADDRESS` and `--connect-to HOST:PORT:HOST:PORT` send to the last place.
      const place = args[at] ?? "";
      const [, , address] = /resolve|connect-to/.test(arg) ? (/^([^:]*):\d*:(\[[^\]]*\]|[^:]*)/.exec(place) ?? []) : [];
      yield target(address ?? place);
    } else if (arg.startsWith("-")) {
      if (VALUED.test(arg) || (name.startsWith("http") && arg === "-a")) at += 1;
    } else if (isUrl(arg) || HOST.test(arg) || arg.includes(UNKNOWN)) yield target(arg);
  }
}

/** `user@host:path`, or `host:path` with more than one letter before the colon. */
const SCP = /^(?:[\w.-]+@)?(\[[\da-f:.]+\]|[\w-]+(?:\.[\w-]+)*):(?!\/\/|\\)/i;

function* ofCopy(call: Call): Generator<Target> {
  for (const word of operandsOf(call)) {
    if (isUrl(word)) yield target(word);
    else if (word.startsWith(UNKNOWN)) continue;
    else {
      const [, host] = SCP.exec(word) ?? [];
      if (host !== undefined && host.length > 1) yield target(host);
    }
  }
}

const GIT_VERBS: ReadonlySet<string> = new Set(["clone", "fetch", "pull", "push", "ls-remote", "remote", "submodule"]);

function* ofGit(call: Call): Generator<Target> {
  if (!operandsOf(call).some((word) => GIT_VERBS.has(word))) return;
  yield* ofCopy(call);
}

function* ofConnection({ name, args }: Call): Generator<Target> {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (name === "socat") {
      const [, host] = /^(?:tcp|udp|ssl|openssl)\w*:(\[[^\]]*\]|[^:,]+)/i.exec(arg) ?? [];
      if (host !== undefined) yield target(host);
    } else if (/^-\w*[bcDeEFIiJLlmOopQRSWwXxs]$/.test(arg)) {
      // The listening side of `nc -l PORT` reaches no host.
      if (/^nc|ncat/.test(name) && /^-\w*l/.test(arg)) return;
      at += 1;
    } else if (!arg.startsWith("-")) {
      yield target(isUrl(arg) ? arg : arg.replace(/^[^@]*@/, "").replace(/(?<=[^:]):[^:]*$/, ""));
      return;
    }
  }
}

/** Options of package managers that name a registry. */
const REGISTRY =
  /^(?:-i|--(?:registry|index-url|extra-index-url|index|default-index|find-links|source|proxy|repository-url))$/;

function ofRegistry(verbs: RegExp, ...usual: readonly string[]): Targets {
  return function* (call) {
    if (
      !operandsOf(call)
        .slice(0, 3)
        .some((word) => verbs.test(word))
    )
      return;
    let isNamed = false;
    for (const [at, arg] of call.args.entries()) {
      const [, option, value] = /^(--[\w-]+)=(.*)$/s.exec(arg) ?? [];
      const given = REGISTRY.test(arg) ? call.args[at + 1] : REGISTRY.test(option ?? "") ? value : undefined;
      if (given !== undefined && isUrl(given)) {
        yield target(given);
        isNamed ||= !/extra|find-links|proxy/.test(arg);
      } else if (/^(?:[\w.[\]-]+ ?@ ?)?(?:git\+|https?:\/\/|ssh:\/\/)/.test(arg)) {
        yield target(arg.replace(/^.*?(?:git\+)?(?=[a-z]+:\/\/)/, ""));
      }
    }
    if (!isNamed) for (const text of usual) yield { text };
  };
}

const NPM = "npm.registry";
const NPM_VERBS = /^(?:install|i|add|ci|update|up|upgrade|exec|x|dlx|create|init|publish|view|info|audit|outdated)$/;

function* ofNpm(call: Call): Generator<Target> {
  yield* ofRegistry(NPM_VERBS, NPM)(call);
  if (/x$/.test(call.name)) yield { text: NPM };
}

const IMAGES = "container.registry";

function* ofImages(call: Call): Generator<Target> {
  const [verb, first] = operandsOf(call);
  if (verb === "login" || verb === "logout") yield target(first ?? IMAGES);
  if (verb !== "pull" && verb !== "push") return;
  const [, registry] = /^((?:[\w-]+\.)+[\w-]+(?::\d+)?|localhost(?::\d+)?)\//.exec(first ?? "") ?? [];
  yield target(registry ?? IMAGES);
}

/** Returns the URLs in a program of another language. */
export function* urlsInCode(code: string): Generator<Target> {
  for (const [text] of code.matchAll(/\b(?:https?|ftp|wss?|gopher|dict):\/\/[^\s"'`<>\\)]{1,400}/gi))
    yield target(text);
}
