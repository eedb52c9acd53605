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
    { id: "OC-1", title: "handlers run by priority, and by registration where it is the same", ...toolCall },
    { id: "OC-2", title: "a block ends the row, and its reason stands", ...toolCall },
    { id: "OC-3", title: "block: false is no decision", ...toolCall },
    { id: "OC-4", title: "params change the fields that they name", ...toolCall },
    { id: "OC-5", title: "the first approval stands, in the name of the plugin that asks", ...toolCall },
    { id: "OC-6", title: "an approval freezes the parameters against every plugin", ...toolCall },
    { id: "OC-7", title: "a handler that later writes to what it returned changes nothing", ...toolCall },
    { id: "OC-8", title: "a block counts after an approval, which stays in the result", ...toolCall },
    { id: "OC-9", title: "a handler that writes to its event changes nobody else's", ...toolCall },
    { id: "OC-10", title: "functions and shared memory are refused, even where the hook fails open", ...isolation },
    { id: "OC-11", title: "hostile iterators are not called, and typed arrays not walked", ...isolation },
    { id: "OC-12", title: "approved parameters that cannot be copied are refused", ...isolation },
    { id: "OC-13", title: "a throwing before_tool_call handler is skipped, or blocks with a fixed text", ...failures },
    { id: "OC-14", title: "after 15 seconds a tool call is denied, and a final answer taken", ...failures },
    { id: "OC-15", title: "a slow prompt hook is left out, by its registration's own time", ...failures },
    { id: "OC-16", title: "finalize beats revise beats continue, and reasons add up", ...merges },
    { id: "OC-17", title: "message_sending keeps the last content, and cancel ends the row", ...merges },
    { id: "OC-18", title: "the highest model override wins, and a broken one is asked once", ...merges },
    { id: "OC-19", title: "a promise from a synchronous hook is ignored, or fails where it fails closed", ...sync },
    { id: "OC-20", title: "synchronous hooks see what the one before has left", ...sync },
    { id: "OC-21", title: "a blocked write ends the row", ...sync },
    { id: "OC-22", title: "matchers take canonical tool ids and nothing else", ...registration },
    { id: "OC-23", title: "an error is logged on one line, without keys", ...failures },
    { id: "OC-24", title: "a tool that is wrapped twice has its hooks run once", ...runs },
    { id: "OC-25", title: "adjusted parameters are kept by run, and given once", ...runs },
    { id: "OC-26", title: "what comes of an approval, and who is told", ...at("approval") },
    { id: "OC-27", title: "a call that a hook made sensitive is asked about as it will run", ...toolCall },
    { id: "OC-28", title: "without handlers there is no result", ...registration },
    { id: "OC-29", title: "the first claim wins, whoever fails before it", ...claims },
    { id: "OC-30", title: "a claim offered to one plugin has five ends", ...claims },
    { id: "OC-31", title: "a hook that the host does not know is kept, and a misspelt one refused", ...registration },
    {
      id: "OC-32",
      title: "a handler for some triggers is left out of runs that something else started",
      ...registration,
    },
    { id: "OC-33", title: "a plugin has a logger, and the operator's settings for it", ...registration },
    {
      id: "OC-34",
      title: "a converted plugin is a folder with both manifests, one id, and the settings to add",
      coveredBy: "test/e2e/convert-openclaw.test.ts",
    },
    {
      id: "OC-35",
      title: "a gate that is asked with the operator's leave only is looser until the settings give it",
      coveredBy: "test/e2e/convert-openclaw.test.ts",
    },
    { id: "OC-36", title: "a handler sees the parameters as the handlers before it left them", ...toolCall },
    { id: "OC-37", title: "a dispatch can be claimed and not rewritten", ...claims },
  ],
};
