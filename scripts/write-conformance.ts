import { writeFileSync } from "node:fs";
import { FAMILIES } from "../test/conformance/cases/index.ts";
import { PAGE_FILE, renderPage } from "../test/conformance/page.ts";

writeFileSync(PAGE_FILE, renderPage(FAMILIES));
