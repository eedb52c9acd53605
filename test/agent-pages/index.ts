import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { AgentPage } from "./page.ts";

/** Agents whose page on hooks hookbox follows, section by section. */
export const AGENTS_WITH_PAGES = ["docker-agent", "agentao", "autohand", "openclaw", "patterns"] as const;

/** Returns the map of each of those pages that has one, in the file with the agent's name. */
export async function agentPages(): Promise<readonly AgentPage[]> {
  const files = AGENTS_WITH_PAGES.map((agent) => resolve(import.meta.dirname, `${agent}.ts`)).filter(existsSync);
  const modules = await Promise.all(
    files.map((file) => import(pathToFileURL(file).href) as Promise<Readonly<Record<string, unknown>>>),
  );
  return modules.flatMap((module) => Object.values(module).filter(isAgentPage));
}

function isAgentPage(value: unknown): value is AgentPage {
  return typeof value === "object" && value !== null && "agent" in value && "sections" in value;
}
