// Statements that clients of databases run: from their arguments, their input, or a here-document.

import type { Command, Input, Pipeline } from "../../../src/shell/command.ts";
import { show } from "../paths/protected.ts";
import type { Shell } from "../shell.ts";
import type { Call } from "./call.ts";
import { damageOf } from "./table.ts";

export const SQL_CLIENTS =
  "psql pgcli mysql mariadb mycli sqlite3 sqlite litecli sqlcmd usql duckdb cockroach clickhouse-client clickhouse " +
  "snowsql bq sqlplus trino presto hive beeline spark-sql impala-shell cqlsh isql osql dolt rqlite libsql turso";

const DROP = damageOf("sql-drop");
const DELETE = damageOf("sql-delete");

/** Matches string literals and comments, whose content is data. */
const DATA = /'(?:[^']|'')*'|--[^\n]*|\/\*.*?\*\//gs;
const DROPS =
  /\bdrop\s+(?:table|database|schema|owned|user|role|tablespace|keyspace|(?:materialized\s+)?view|sequence|type|extension|server|collection|index|function|procedure|trigger|publication|subscription|domain|warehouse|stage|dictionary)\b/i;
const EMPTIES =
  /\btruncate\s+(?:table\s+)?[^\s(]+(?!\s*\()|\balter\s+table\s[^;]*\bdrop\s+(?!constraint|default|not\b)/i;
const CHANGES = /\b(?:delete\s+from|update)\s/i;
/** Matches a condition that does not hold for every row. */
const CONDITION = /\bwhere\b(?!\s*(?:\(?\s*(?:true|1\s*=\s*1|1)\s*\)?)\s*(?:$|;|returning|limit|order))/i;
const UPDATE_OR_DELETE = /\bdelete\s+from\b|\bupdate\s+\S+\s+set\b/i;

export function judgeSql(shell: Shell, { args }: Call, { redirections }: Command, pipeline: Pipeline): void {
  for (const arg of args) judgeStatements(shell, arg.replace(/^(?:--[\w-]+=|-[a-zA-Z](?=\S))/, ""));
  judgeInputs(shell, redirections?.inputs ?? pipeline.data?.inputs ?? []);
}

function judgeInputs(shell: Shell, inputs: readonly Input[]): void {
  for (const { text, document } of inputs) {
    if (text !== undefined) judgeStatements(shell, text);
    // The body follows the end of the line.
    if (document !== undefined) document.takeBody = (body) => judgeStatements(shell, body);
  }
}

function judgeStatements(shell: Shell, text: string): void {
  shell.spend(text.length);
  if (!/drop|truncate|delete|update|\\!|\.shell|system/i.test(text)) return;
  const command = /^\s*(?:\\!|\.(?:shell|system)\s|system\s)\s*(.+)/m.exec(text)?.[1];
  if (command !== undefined) shell.runScript(command);
  for (const statement of text.replace(DATA, (data) => (data[0] === "'" ? "''" : " ")).split(";")) {
    const what = (): string => show(statement.trim().replace(/\s+/g, " "));
    if (DROPS.test(statement)) shell.report(DROP, what());
    if (EMPTIES.test(statement)) shell.report(DELETE, what());
    if (CHANGES.test(statement) && UPDATE_OR_DELETE.test(statement) && !CONDITION.test(statement)) {
      shell.report(DELETE, what());
    }
  }
}
