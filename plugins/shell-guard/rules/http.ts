// Requests that delete.

import { show } from "../paths/protected.ts";
import type { Shell } from "../shell.ts";
import type { Call } from "./call.ts";
import { damageOf } from "./table.ts";

const DELETION = damageOf("remote-delete");

const METHOD = /^(?:-X=?|--request=?|--method=?|-Method[:=]?)?delete$/i;
/** This machine, except the usual ports of programs that keep data. */
const LOCAL =
  /^(?:https?:\/\/)?(?:localhost|127\.[\d.]+|\[::1\]|0\.0\.0\.0|:)(?!:(?:9200|9300|9201|5984|8086|7700|8108|6333|9090|9091|8001|15672|8500|8200|2379|2375|2376)\b)/i;
/** Addresses that delete with another method. */
const DELETES =
  /\/_delete_by_query|\/_close\b|\/admin\/tsdb\/(?:delete_series|clean_tombstones)|\/_all\b.*(?:close|delete)|[?&]allow_no_indices.*delete/i;

export function judgeDeletion(shell: Shell, { name, args }: Call): void {
  const at = args.findIndex((arg) => METHOD.test(arg));
  const urls = args.filter((arg) =>
    /^(?:https?:\/\/|localhost|127\.|:\d)|^[\w.-]+\.\w+(?:[:/]|$)|^[\w.-]+:\d+/.test(arg),
  );
  const deletes = at >= 0 && (args[at] !== "delete" || /^http|xh/.test(name));
  const found = deletes
    ? urls.length === 0 || urls.some((url) => !LOCAL.test(url))
    : urls.some((url) => DELETES.test(url)) &&
      args.some((arg) => /^-?-?(?:X=?|request=?)?(?:post|put|-d.*|--data.*)$/i.test(arg));
  if (found) shell.report(DELETION, show(`${name} ${args.join(" ")}`));
}
