import type { EventContract } from "../../src/events/contract.ts";

/** The texts of docs/dialects.md; everything else in it is computed. */

interface DialectWords {
  readonly configuration: string;
  readonly where: string;
  readonly timeout: string;
  /** The dialect's page in docs/. */
  readonly page: string;
  readonly refuses: string;
}

export const WORDS: Readonly<Record<string, DialectWords>> = {
  hookbox: {
    configuration: "`hooks:` event → groups with `matcher` → hooks, and settings",
    where: "`hookbox.json`, `.jsonc`, `.yaml` in the project and in `~/.config/hookbox`",
    timeout: "seconds (`timeout`) or milliseconds (`timeoutMs`)",
    page: "configuration.md",
    refuses: "as for `claude-code`",
  },
  "claude-code": {
    configuration: "`hooks:` event → groups with `matcher` → hooks",
    where: "`settings.json` of the user and the project, a plugin's `hooks.json`",
    timeout: "seconds",
    page: "claude-code.md",
    refuses: "JSON with exit code 0, or exit code 2 at events without JSON for a refusal",
  },
  "docker-agent": {
    configuration: "YAML, `hooks:` under an agent: event → groups with `matcher` → hooks",
    where: "the agent's file, the user's configuration",
    timeout: "seconds",
    page: "docker-agent.md",
    refuses: "JSON with exit code 0",
  },
  agentao: {
    configuration: "event → a flat list of rules, with or without a surrounding `hooks:`",
    where: "a plugin's `hooks.json`, or the hooks written in its manifest",
    timeout: "seconds",
    page: "agentao.md",
    refuses: "JSON, because no exit code stops a tool",
  },
  autohand: {
    configuration: "`hooks: { hooks: [...] }`, a flat list in which each hook names its `event`",
    where: "`~/.autohand/config.json`",
    timeout: "milliseconds",
    page: "autohand.md",
    refuses: "JSON with exit code 0 at events about permissions, exit code 2 at other events",
  },
  openclaw: {
    configuration: "plugins in code. hookbox reads `plugins.entries.NAME.hooks` of the settings",
    where: "the gateway's own configuration",
    timeout: "milliseconds",
    page: "openclaw.md",
    refuses: "a line with the object that the plugin's hook returns",
  },
  patterns: {
    configuration: "`hooks_config:` event → groups with `matcher` → hooks",
    where: "defined by the agent, in YAML or JSON",
    timeout: "seconds",
    page: "patterns.md",
    refuses: "JSON and exit code 2",
  },
};

/** How a matcher is written. */
export const MATCHERS: Readonly<Record<EventContract["matcherStyle"], string>> = {
  wide: "names, lists with `|`, or a regular expression anywhere in the name",
  narrow: "names, lists with `|`, or a regular expression anywhere in the name",
  anchored: "a regular expression for the whole name",
  unanchored: "a regular expression anywhere in the name",
  glob: "`*` and `?`, or a regular expression between `^` and `$`",
};

/** What the two differ in, for readers who do not know the table's columns. */
export const DIFFERENCES: Readonly<Partial<Record<keyof EventContract, string>>> = {
  rewriteMode: "how a rewrite changes the input",
  failuresGoOn: "failures after which the agent continues",
  failuresDeny: "failures that refuse",
  failsClosed: "whether any failure refuses",
  importedFailures: "failures of imported hooks",
  onFailure: "the effect of a failure",
  context: "text for the model",
  plainTextIsContext: "whether plain text is text for the model",
  kind: "whether the event is a gate",
  verdicts: "answers",
  blockMeansGoOn: "whether a refusal makes the agent continue",
  specific: "further fields",
  handlers: "types of hooks",
  rewrites: "the parts that a hook may rewrite",
  order: "the order of hooks",
  endsAt: "the end of the row",
  yieldsToQuestion: "whether a hook is left out after a question of the preempt lane",
  subject: "the text that a matcher tests",
  matcherStyle: "the form of a matcher",
};

/** Why an engine that follows the page is not the default, for each difference. */
export const WHY_SAFER: Readonly<Partial<Record<keyof EventContract, string>>> = {
  rewriteMode: "a field that a hook does not name keeps its judged value, as in the agent's code",
  failuresGoOn: "a hook that failed has not judged the call",
  failuresDeny: "a hook that failed has not judged the call",
  failsClosed: "a hook that failed has not judged the call",
  importedFailures: "a missing answer is not consent",
  onFailure: "a missing answer is not consent",
  context: "the agent's code adds no text",
  plainTextIsContext: "the agent's code adds no text",
  kind: "the agent's code accepts a refusal at this event",
  verdicts: "the agent's code takes these answers",
  blockMeansGoOn: "the agent's code takes these answers",
  specific: "the agent's code takes these fields",
  handlers: "the agent's code runs these types",
  rewrites: "the agent's code takes these rewrites",
  order: "the agent's code asks the hooks in that order",
  endsAt: "the agent's code continues with the other hooks",
  yieldsToQuestion: "a question must not silence a refusal",
  subject: "the agent's code tests that field",
  matcherStyle: "a rule must not miss a tool that its author meant",
};
