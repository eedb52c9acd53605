import { writeFile } from "node:fs/promises";
import { configJsonSchema } from "../dist/dialects/hookbox/schema.js";
import { manifestJsonSchema } from "../dist/sandbox/admission/manifest-schema.js";

const dist = new URL("../dist/", import.meta.url);
const write = (name, schema) => writeFile(new URL(name, dist), `${JSON.stringify(schema, null, 2)}\n`);
await write("hookbox.schema.json", configJsonSchema());
await write("guard-manifest.schema.json", manifestJsonSchema());
