/**
 * Code that only guests with a grant of hosts need. Loaded lazily, because a process for one event then starts faster.
 */
export { givenReply } from "./given-http.ts";
export { readHttpAsk } from "./http-ask.ts";
