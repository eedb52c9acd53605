import { writeFileSync } from "node:fs";
import { PAGE_FILE, renderReplies } from "../test/dialects/replies-page.ts";

writeFileSync(PAGE_FILE, renderReplies());
