import { HookError } from "../../errors.ts";
import { Approvals } from "../../state/approvals.ts";
import { AGENT_OPTIONS, addedHooks, HOOK_FLAG_OPTIONS } from "../agent-options.ts";
import { asciiJson } from "../ascii-json.ts";
import { CONFIG_HELP, CONFIG_OPTIONS, configFiles, formatOfEvents } from "../config-files.ts";
import { EXIT } from "../exit-codes.ts";
import { AGENT_HELP } from "../help-texts.ts";
import { refuseAgents } from "../off/agent-process.ts";
import { painter } from "../paint.ts";
import { digestsInEnvironment } from "../trust/from-environment.ts";
import { countOf, describeFile, workOf } from "../trust/report.ts";
import { approve, reviewTrust, type TrustReview } from "../trust/review.ts";
import { type Console, parseVerbArgs, usageError, type Verb } from "../verb.ts";

export const trust: Verb = {
  summary: "show what the configuration of a repository would do, and approve exactly that",
  usage: `Usage: hookbox trust [FILE]... [--config FILE]... [--format NAME] [--trust DIGEST] [--revoke] [--json]

  Shows the commands, web hooks, models, MCP servers, modules and grants in the files that may have come with the
  project, and asks on a terminal whether you approve. Afterwards exactly this content is in force, together with
  hookbox.lock, the modules and the scripts that its commands name. A later change waits for "hookbox trust".
  Without an approval only built-in guards without grants run, and they can only deny or ask.

  FILE              the same as --config FILE
${CONFIG_HELP}
${AGENT_HELP}
  --trust DIGEST    approve without a question if the content has this digest. The variable HOOKBOX_TRUST has the
                    same effect for its digests, which are separated by commas
  --revoke          end the approval, after a question or with --trust DIGEST
  --json            print JSON; asks no question

Exit codes: 0 the files are approved, or with --revoke no file is   1 a file waits for your approval
            2 the configuration cannot be used, the digest differs, or a mistake on the command line`,
  options: () => OPTIONS,
  run: trustVerb,
};

const OPTIONS = {
  ...CONFIG_OPTIONS,
  ...AGENT_OPTIONS,
  ...HOOK_FLAG_OPTIONS,
  trust: { type: "string" },
  revoke: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
} as const;

async function trustVerb(args: readonly string[], console: Console): Promise<number> {
  const { values, positionals } = parseVerbArgs(args, OPTIONS);
  const named = [...positionals, ...values.config];
  const { trust: digest, revoke, json } = values;
  if (digest !== undefined && !/^[0-9a-f]{64}$/.test(digest))
    throw usageError("--trust needs the 64 hexadecimal digits that hookbox trust shows");
  const files = await configFiles(named, values.format, console.cwd, {
    agent: values.agent,
    compat: values.compat,
    added: addedHooks(values, formatOfEvents({ ...values, config: named })),
  });
  const approvals = new Approvals();
  const review = await reviewTrust(files, console.cwd, approvals);
  const isPending = review.files.some(({ state }) => (revoke ? state !== "new" : state !== "approved"));
  if (!json) report(review, console);
  if (digest !== undefined && digest !== review.digest)
    throw new HookError("HOOK_TRUST_CHANGED", `the content has the digest ${review.digest}, not ${digest}`, {
      hint: "review it again, and approve the digest that you have reviewed",
    });
  const accepted = isPending && (digest !== undefined || (await isAccepted(review, { revoke, json }, console)));
  if (accepted) refuseAgents("review and approve the files in a terminal of your own");
  if (accepted && revoke) for (const { file, agent } of review.files) await approvals.remove(file, agent);
  else if (accepted) await approve(review, approvals);
  const isDone = accepted || !isPending;
  if (json) console.write(`${asciiJson(asData(review, isDone && !revoke))}\n`);
  else console.write(`  ${conclusionOf(review, { isPending, isDone, revoke })}\n`);
  return isDone ? EXIT.done : EXIT.problems;
}

/**
 * Asks on a terminal. Without a terminal, `HOOKBOX_TRUST` decides. On a terminal the variable has no effect, because a
 * repository can set variables of the user's terminal, for example by the settings of an editor or of a container.
 */
async function isAccepted(
  { files, digest }: TrustReview,
  { revoke, json }: { readonly revoke: boolean; readonly json: boolean },
  console: Console,
): Promise<boolean> {
  const question = revoke ? "End the approval of these files" : `Approve exactly this content: ${countOf(files)}`;
  const answer = json ? undefined : await console.ask(`  ${question}? [y/N] `);
  if (answer !== undefined) return /^y(es)?$/i.test(answer.trim());
  return !revoke && console.stdin.isTTY !== true && digestsInEnvironment().includes(digest);
}

function report({ files, digest }: TrustReview, console: Console): void {
  const paint = painter(console.colour);
  for (const reviewed of files)
    for (const line of describeFile(reviewed, console.cwd, paint)) console.write(`  ${line}\n`);
  if (files.length > 0) console.write(`\n  digest ${digest}\n`);
}

function conclusionOf(
  { files, digest }: TrustReview,
  { isPending, isDone, revoke }: { readonly isPending: boolean; readonly isDone: boolean; readonly revoke: boolean },
): string {
  if (files.length === 0) return "No file needs an approval: all of these files are your own.";
  if (!isDone)
    return `Nothing was changed. Without a terminal, use hookbox trust${revoke ? " --revoke" : ""} --trust ${digest}`;
  if (revoke) return isPending ? "The approval has ended." : "There is no approval.";
  return isPending ? "Approved. Exactly this content is in force." : "Exactly this content is approved already.";
}

function asData({ files, digest }: TrustReview, isApproved: boolean): object {
  return {
    digest,
    approved: isApproved,
    files: files.map(({ file, agent, state, rules, settings, problems, content, notPinned }) => ({
      file,
      agent,
      state,
      rules: rules.map((rule) => ({
        rule: rule.name,
        event: rule.event,
        matcher: rule.matcher ?? null,
        type: rule.handler.type,
        does: workOf(rule, content?.modules ?? {}),
        grants: (rule.handler.type === "wasm" ? rule.handler.grants : undefined) ?? null,
      })),
      settings: Object.fromEntries(settings.map(({ name, value }) => [name, value])),
      modules: content?.modules ?? {},
      scripts: content?.scripts ?? {},
      loads: content?.loads ?? {},
      notPinned: notPinned.packages,
      problems,
    })),
  };
}
