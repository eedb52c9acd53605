/** What only guests with a grant of hosts need: a process that answers one event does without it. */
export { givenReply } from "./given-http.ts";
export { readHttpAsk } from "./http-ask.ts";
