import { timingSafeEqual } from "node:crypto";
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";

/** Decides which requests over loopback HTTP the server answers. On the Unix socket, the socket's permissions decide. */

export type Ask = Context<{ Bindings: HttpBindings }>;

/**
 * Returns the name of the first check that fails. A request must come from a program on this machine that means this
 * server: a page in a browser sends Origin or Sec-Fetch-Site, and after DNS rebinding the page's name as Host.
 */
export function whyForbidden(ask: Ask, token: string): "host" | "origin" | "sec-fetch-site" | "token" | undefined {
  const port = ask.env.incoming.socket.localPort;
  const host = ask.req.header("host");
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) return "host";
  if (ask.req.header("origin") !== undefined) return "origin";
  if (ask.req.header("sec-fetch-site") !== undefined) return "sec-fetch-site";
  return isToken(ask.req.header("authorization"), token) ? undefined : "token";
}

function isToken(header: string | undefined, token: string): boolean {
  const given = Buffer.from(header ?? "");
  const wanted = Buffer.from(`Bearer ${token}`);
  return given.byteLength === wanted.byteLength && timingSafeEqual(given, wanted);
}
