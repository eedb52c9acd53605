import { chmod, writeFile } from "node:fs/promises";
import { configJsonSchema } from "../dist/dialects/hookbox/schema.js";
import { EVENT_NAMES } from "../dist/events/lookup.js";

const dist = new URL("../dist/", import.meta.url);
await writeFile(new URL("hookbox.schema.json", dist), `${JSON.stringify(configJsonSchema(EVENT_NAMES), null, 2)}\n`);
await chmod(new URL("bundle/cli/hookbox.cjs", dist), 0o755);
