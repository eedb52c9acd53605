import { writeFileSync } from "node:fs";
import { PAGE_FILE, renderDialects } from "../test/dialects/families-page.ts";

writeFileSync(PAGE_FILE, renderDialects());
