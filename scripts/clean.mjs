import { rm } from "node:fs/promises";

// The folder is removed, because files that were renamed in src/ would otherwise stay in the published package.
await rm(new URL("../dist", import.meta.url), { recursive: true, force: true });
