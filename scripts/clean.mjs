import { rm } from "node:fs/promises";

// A file that was renamed in src/ would otherwise live on in what is published.
await rm(new URL("../dist", import.meta.url), { recursive: true, force: true });
