import { rm } from "node:fs/promises";

// Otherwise files that were renamed in src/ would stay in the published package.
await rm(new URL("../dist", import.meta.url), { recursive: true, force: true });
