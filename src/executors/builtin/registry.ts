import type { BuiltinHook } from "./builtin.ts";

/** The built-in hooks by name. Each hook is loaded with the first rule that names it. */
export const HOOKS: Readonly<Record<string, () => Promise<BuiltinHook>>> = {
  add_context: async () => (await import("./add-context.ts")).addContext,
  add_date: async () => (await import("./add-date.ts")).addDate,
  add_directory_listing: async () => (await import("./add-directory-listing.ts")).addDirectoryListing,
  add_environment_info: async () => (await import("./add-environment-info.ts")).addEnvironmentInfo,
  add_git_diff: async () => (await import("./add-git-diff.ts")).addGitDiff,
  add_git_status: async () => (await import("./add-git-status.ts")).addGitStatus,
  add_prompt_files: async () => (await import("./add-prompt-files.ts")).addPromptFiles,
  add_recent_commits: async () => (await import("./add-recent-commits.ts")).addRecentCommits,
  add_user_info: async () => (await import("./add-user-info.ts")).addUserInfo,
  elide_repeated_tool_results: async () => (await import("./elide-repeated-tool-results.ts")).elideRepeatedToolResults,
  http_post: async () => (await import("./http-post.ts")).httpPost,
  limit_large_tool_results: async () => (await import("./limit-large-tool-results.ts")).limitLargeToolResults,
  max_iterations: async () => (await import("./max-iterations.ts")).maxIterations,
  unload: async () => (await import("./unload.ts")).unload,
  "auto-format": async () => (await import("./auto-format.ts")).autoFormat,
  "git-auto-stage": async () => (await import("./git-auto-stage.ts")).gitAutoStage,
  "log-file-modified": async () => (await import("./log-line.ts")).logLine,
  "log-session-end": async () => (await import("./log-line.ts")).logLine,
  "log-session-start": async () => (await import("./log-line.ts")).logLine,
  "log-stop": async () => (await import("./log-line.ts")).logLine,
  "slack-notify": async () => (await import("./slack-notify.ts")).slackNotify,
  "smart-commit": async () => (await import("./smart-commit.ts")).smartCommit,
  snapshot: async () => (await import("./snapshot/snapshot.ts")).snapshot,
  "sound-alert": async () => (await import("./sound-alert.ts")).soundAlert,
};
