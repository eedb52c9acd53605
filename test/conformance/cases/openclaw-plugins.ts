import type { CaseFamily } from "../case.ts";

const at = (file: string) => ({ coveredBy: `test/hosts/openclaw/${file}.test.ts` });
const toolCall = at("tool-call-hooks");
const isolation = at("isolation");
const failures = at("failures");
const merges = at("merges");
const sync = at("sync-hooks");
const registration = at("registration");
const claims = at("claims");
const runs = at("runs");

export const openclawPlugins: CaseFamily = {
  title: "OpenClaw: the plugin host",
  source: "OpenClaw's page on plugin hooks (April 2026) and its hook runner (August 2026)",
  dialect: "openclaw",
  cases: [
    { id: "OC-1", title: "handlers run by priority, and handlers with the same priority by registration", ...toolCall },
    { id: "OC-2", title: "a block ends the row of handlers, and its reason counts", ...toolCall },
    { id: "OC-3", title: "block: false is no decision", ...toolCall },
    { id: "OC-4", title: "params change only the named fields", ...toolCall },
    { id: "OC-5", title: "the first approval counts, in the name of the plugin that asks", ...toolCall },
    { id: "OC-6", title: "an approval freezes the parameters for every plugin", ...toolCall },
    { id: "OC-7", title: "a handler cannot change its result after returning", ...toolCall },
    { id: "OC-8", title: "a block counts after an approval, which stays in the result", ...toolCall },
    { id: "OC-9", title: "a handler that writes to its event does not change other handlers' events", ...toolCall },
    {
      id: "OC-10",
      title: "the host refuses functions and shared memory in events, even for hooks that fail open",
      ...isolation,
    },
    { id: "OC-11", title: "the host does not call hostile iterators, and does not walk typed arrays", ...isolation },
    { id: "OC-12", title: "the host refuses approved parameters that cannot be copied", ...isolation },
    { id: "OC-13", title: "a throwing before_tool_call handler is skipped, or blocks with a fixed text", ...failures },
    {
      id: "OC-14",
      title: "a late handler denies a tool call after 15 seconds, but a late final answer goes ahead",
      ...failures,
    },
    { id: "OC-15", title: "the host leaves out a prompt hook that is slower than its own timeout", ...failures },
    { id: "OC-16", title: "finalize outranks revise, revise outranks continue, and reasons add up", ...merges },
    { id: "OC-17", title: "message_sending keeps the last content, and cancel ends the row of handlers", ...merges },
    {
      id: "OC-18",
      title: "the model override with the highest priority counts, and a broken handler runs once",
      ...merges,
    },
    { id: "OC-19", title: "a promise from a synchronous hook is ignored, or fails if the hook fails closed", ...sync },
    { id: "OC-20", title: "a synchronous hook sees the result of the previous hook", ...sync },
    { id: "OC-21", title: "a blocked write ends the row of handlers", ...sync },
    { id: "OC-22", title: "matchers take canonical tool ids and nothing else", ...registration },
    { id: "OC-23", title: "the log has an error on a single line, without keys", ...failures },
    { id: "OC-24", title: "the hooks of a tool that is wrapped twice run once", ...runs },
    { id: "OC-25", title: "the host keeps adjusted parameters for each run, and returns them once", ...runs },
    { id: "OC-26", title: "the results of an approval, and their receivers", ...at("approval") },
    { id: "OC-27", title: "the question about a sensitive call shows the final parameters", ...toolCall },
    { id: "OC-28", title: "a hook without handlers has no result", ...registration },
    { id: "OC-29", title: "the first claim counts, even after failing handlers", ...claims },
    { id: "OC-30", title: "a claim that is offered to a single plugin has five results", ...claims },
    { id: "OC-31", title: "the host keeps a handler at an unknown hook, and refuses a misspelt hook", ...registration },
    {
      id: "OC-32",
      title: "a handler for some triggers does not run for other triggers",
      ...registration,
    },
    { id: "OC-33", title: "a plugin has a logger, and its settings from the operator", ...registration },
    {
      id: "OC-34",
      title: "a converted plugin is a folder with two manifests, a single id, and the settings to add",
      coveredBy: "test/e2e/convert-openclaw.test.ts",
    },
    {
      id: "OC-35",
      title: "a gate that needs the operator's permission is looser until the settings give the permission",
      coveredBy: "test/e2e/convert-openclaw.test.ts",
    },
    { id: "OC-36", title: "a handler sees the parameters after the rewrites of earlier handlers", ...toolCall },
    { id: "OC-37", title: "a handler can claim a dispatch, but cannot rewrite a dispatch", ...claims },
  ],
};
