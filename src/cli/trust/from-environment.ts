import { callersProcess } from "../../caller.ts";
import type { ConfigFile } from "../../config/load.ts";
import { mayComeWithRepository } from "../../layer-trust.ts";
import { Approvals } from "../../state/approvals.ts";
import { agentAbove, whyVariableHasNoEffect } from "../off/agent-process.ts";
import { approve, reviewTrust } from "./review.ts";

const TRUST_VARIABLE = "HOOKBOX_TRUST";

/** Returns the digests in `HOOKBOX_TRUST`, in the environment of this process and not in that of a relay. */
export function digestsInEnvironment(): readonly string[] {
  return (process.env[TRUST_VARIABLE] ?? "").split(",").map((digest) => digest.trim());
}

/**
 * Approves the files of the repository if `HOOKBOX_TRUST` names the digest of exactly their content. Below an agent, the
 * variable counts only if the agent was started with it: an agent's shell could otherwise approve any content.
 */
export async function approveFromEnvironment(files: readonly ConfigFile[], cwd: string): Promise<void> {
  const digests = digestsInEnvironment();
  const set = [TRUST_VARIABLE, process.env[TRUST_VARIABLE] ?? ""] as const;
  if (agentAbove() !== undefined && whyVariableHasNoEffect(callersProcess(), set) !== undefined) return;
  const mayCome = files.some(({ layer = "project", text }) => text === undefined && mayComeWithRepository(layer));
  if (!mayCome || digests.every((digest) => digest === "")) return;
  const approvals = new Approvals();
  const review = await reviewTrust(files, cwd, approvals);
  if (digests.includes(review.digest) && review.files.some(({ state }) => state !== "approved"))
    await approve(review, approvals);
}
