import { writeFileSync } from "node:fs";
import { agentPages } from "../test/agent-pages/index.ts";
import { PAGE_FILE, renderAgentPages } from "../test/agent-pages/render.ts";

writeFileSync(PAGE_FILE, renderAgentPages(await agentPages()));
