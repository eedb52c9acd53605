import { z } from "zod";
import type { Cap } from "./grant-problems.ts";
import { HOST_BYTES, HOST_CALLS, MAX_HOSTS } from "./hosts.ts";
import { MAX_PATHS } from "./paths.ts";
import { STATE_BYTES, STATE_KEYS } from "./read-grants.ts";

/** The shape of grants, for the JSON Schema that editors use. Only the reader checks hosts and names completely. */

const wholeNumber = ({ most }: Cap): z.ZodType => z.number().int().min(1).max(most).exactOptional();
const host = z.string().regex(/^(?:[A-Za-z]+:\/\/)?[^\s@?#/\\%]+$/);
const hosts = z.array(host).min(1).max(MAX_HOSTS);
const path = z.string().min(1);

export const GRANTS_FOR_EDITORS = z.strictObject({
  hosts: z
    .union([
      hosts,
      z.strictObject({
        allow: hosts,
        allowPrivate: z.boolean().exactOptional(),
        maxCalls: wholeNumber(HOST_CALLS),
        maxBytes: wholeNumber(HOST_BYTES),
      }),
    ])
    .exactOptional(),
  paths: z
    .union([
      z.array(path).min(1).max(MAX_PATHS),
      z.record(
        z.string().min(1),
        z.union([path, z.strictObject({ path, access: z.enum(["read", "write"]).exactOptional() })]),
      ),
    ])
    .exactOptional(),
  state: z
    .union([z.boolean(), z.strictObject({ maxKeys: wholeNumber(STATE_KEYS), maxBytes: wholeNumber(STATE_BYTES) })])
    .exactOptional(),
  clock: z.enum(["fixed", "real"]).exactOptional(),
  random: z.enum(["seeded", "real"]).exactOptional(),
  wasi: z.boolean().exactOptional(),
});
