import { writeFileSync } from "node:fs";
import { PAGE_FILE, renderPage } from "../test/faults/page.ts";

writeFileSync(PAGE_FILE, renderPage());
