/** What the pool's threads run. */
export { runGuest as default } from "./guest-run.ts";
