import { join } from "node:path";

/** Clients other than Claude Code: how each is installed, pointed at a model on this machine, and given one hook. */

export interface OtherClient {
  readonly name: string;
  readonly package: string;
  /** The version with which the cells of the table were measured. */
  readonly version: string;
  /** The program in the package, run by Node unless `isNative`. */
  readonly program: string;
  /** Files in the home folder and in the project that give the client this command as its hook before a tool call. */
  files(terms: Terms): Readonly<Record<`home/${string}` | `project/${string}`, string>>;
  args(prompt: string): readonly string[];
  env(terms: Terms): Readonly<Record<string, string>>;
}

interface Terms {
  readonly modelUrl: string;
  readonly hook: string;
  readonly home: string;
  readonly project: string;
}

const MADE_UP_KEY = "made-up-for-a-test";
const json = (value: unknown): string => JSON.stringify(value);
const group = (matcher: string | undefined, hook: object): object => ({
  ...(matcher === undefined ? {} : { matcher }),
  hooks: [hook],
});

export const OTHER_CLIENTS: readonly OtherClient[] = [
  {
    name: "codex",
    package: "@openai/codex",
    version: "0.169.0",
    program: "bin/codex.js",
    files: ({ hook, modelUrl, project }) => ({
      "home/.codex/config.toml": `model = "stand-in"
model_provider = "here"
[model_providers.here]
name = "here"
base_url = ${json(`${modelUrl}/v1`)}
env_key = "MODEL_KEY"
wire_api = "responses"
[projects.${json(project)}]
trust_level = "trusted"
`,
      "home/.codex/hooks.json": json({
        hooks: { PreToolUse: [group("Bash", { type: "command", command: hook, timeout: 60 })] },
      }),
    }),
    args: (prompt) => [
      ...["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"],
      ...["--dangerously-bypass-approvals-and-sandbox", prompt],
    ],
    env: () => ({ MODEL_KEY: MADE_UP_KEY }),
  },
  {
    name: "gemini",
    package: "@google/gemini-cli",
    version: "0.61.0",
    program: "bundle/gemini.js",
    files: ({ hook }) => ({
      "home/.gemini/settings.json": json({
        security: { auth: { selectedType: "gemini-api-key" } },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true, enableAutoUpdate: false },
        hooks: { BeforeTool: [group(undefined, { name: "gate", type: "command", command: hook, timeout: 60_000 })] },
      }),
    }),
    // Naming the model avoids the question which model to use.
    args: (prompt) => ["--yolo", "--skip-trust", "-m", "gemini-2.5-flash", "-p", prompt],
    env: ({ modelUrl }) => ({ GEMINI_API_KEY: MADE_UP_KEY, GOOGLE_GEMINI_BASE_URL: modelUrl }),
  },
  {
    name: "qwen",
    package: "@qwen-code/qwen-code",
    version: "0.24.4",
    program: "cli.js",
    files: ({ hook }) => ({
      "home/.qwen/settings.json": json({
        security: { auth: { selectedType: "openai" } },
        privacy: { usageStatisticsEnabled: false },
        hooks: { PreToolUse: [group(undefined, { name: "gate", type: "command", command: hook, timeout: 60 })] },
      }),
    }),
    args: (prompt) => ["--yolo", "-p", prompt],
    env: ({ modelUrl }) => ({
      OPENAI_API_KEY: MADE_UP_KEY,
      OPENAI_BASE_URL: `${modelUrl}/v1`,
      OPENAI_MODEL: "stand-in",
    }),
  },
  {
    name: "copilot",
    package: "@github/copilot",
    version: "1.0.102",
    program: "npm-loader.js",
    files: ({ hook, project }) => ({
      "home/.copilot/config.json": json({ trusted_folders: [project] }),
      "project/.claude/settings.json": json({
        hooks: { PreToolUse: [group(undefined, { type: "command", command: hook, timeout: 60 })] },
      }),
    }),
    args: (prompt) => ["--allow-all-tools", "-p", prompt],
    env: ({ modelUrl }) => ({
      COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
      COPILOT_MODEL: "stand-in",
      COPILOT_OFFLINE: "true",
    }),
  },
  {
    name: "kimi",
    package: "@moonshot-ai/kimi-code",
    version: "2.1.0",
    program: "dist/main.mjs",
    files: ({ hook, modelUrl }) => ({
      "home/.kimi-code/config.toml": `default_model = "stand-in"
[providers.here]
type = "openai"
base_url = ${json(`${modelUrl}/v1`)}
api_key = "${MADE_UP_KEY}"
[models.stand-in]
provider = "here"
model = "stand-in"
max_context_size = 100000
[[hooks]]
event = "PreToolUse"
matcher = "Bash"
command = ${json(hook)}
timeout = 60
`,
    }),
    args: (prompt) => ["-p", prompt],
    env: () => ({}),
  },
];

/** Node for the clients that need a newer version than this package. */
export const CLIENTS_NODE = "24.21.0";

export const nodeIn = (packages: string): string =>
  join(packages, `node-${process.platform}-${process.arch}`, "bin/node");
