import { cleanLine } from "../../text.ts";
import { eventLoopPauses } from "../event-loop-pauses.ts";
import { compileFilePattern } from "./file-pattern.ts";
import { MAX_FILE_BYTES } from "./read-tool.ts";
import { compileSearch, MAX_LINE_LENGTH, type SearchPattern } from "./search-pattern.ts";
import { shownPath, textOf, withoutSecrets } from "./shown-text.ts";
import { type Field, type FolderTool, schemaOf, type ToolPlace, wrong } from "./tool.ts";
import { startWalk, type WalkedEntry } from "./walk.ts";

const MAX_MATCHES = 100;
const MAX_MATCHES_IN_FILE = 30;
const MAX_TOTAL_BYTES = 67_108_864;
const MAX_SEARCH_MS = 10_000;
/** The maximum length of the text around a match. */
const SHOWN_LENGTH = 300;
const SHOWN_BEFORE = 80;

const FIELDS = {
  pattern: { kind: "string", required: true, description: "A regular expression in RE2's syntax, for single lines." },
  path: { kind: "string", description: "The file or folder to search. Default: the working directory." },
  glob: { kind: "string", description: "Which files to search, such as *.ts or src/**/*.md. Default: all." },
} as const satisfies Record<string, Field>;

export const GREP_TOOL: FolderTool = {
  name: "grep",
  description:
    "Searches text files in the working directory for a regular expression. Answers with PATH:LINE: TEXT. Links, and " +
    "what is in .git and node_modules, are searched only if the path names them.",
  schema: schemaOf(FIELDS),
  fields: FIELDS,
  async run(input, place) {
    const { pattern, path = ".", glob } = input as { pattern: string; path?: string; glob?: string };
    const search = compileSearch(pattern);
    if (!search.ok) return wrong(search.message);
    const files = glob === undefined ? undefined : compileFilePattern(glob, place.folder.root);
    if (files?.ok === false) return wrong(files.message);
    const hunt: Hunt = {
      ...place,
      pattern: search.pattern,
      pause: eventLoopPauses(),
      hits: [],
      notes: new Set(),
      bytes: 0,
    };
    const walk = await startWalk(place.folder, path, place.stop);
    if (walk.ok) {
      await searchAll(hunt, walk.value.entries, files?.pattern.fits);
      for (const gap of walk.value.gaps) hunt.notes.add(gap);
    } else {
      // The path may be a file.
      const problem = await searchFile(hunt, path);
      if (problem !== undefined) return wrong(problem);
    }
    const lines = hunt.hits.length === 0 ? ["[nothing found]"] : hunt.hits;
    const text = [...lines, ...[...hunt.notes].map((note) => `[${note}]`)].join("\n");
    // Secrets are removed, because names of files and folders may contain secrets.
    return { text: await withoutSecrets(text, place), isError: false };
  },
};

interface Hunt extends ToolPlace {
  readonly pattern: SearchPattern;
  readonly pause: () => Promise<void> | undefined;
  readonly hits: string[];
  /** Notes about files that were not searched. */
  readonly notes: Set<string>;
  bytes: number;
}

async function searchAll(
  hunt: Hunt,
  entries: AsyncIterable<WalkedEntry>,
  fits: (path: string) => boolean = () => true,
): Promise<void> {
  const endsAt = performance.now() + MAX_SEARCH_MS;
  for await (const { path, kind } of entries) {
    await hunt.pause();
    if (kind !== "file" || !fits(path)) continue;
    const problem = await searchFile(hunt, path, endsAt);
    if (problem !== undefined) hunt.notes.add("some files cannot be read");
    if (hunt.hits.length >= MAX_MATCHES) hunt.notes.add(`stopped after ${MAX_MATCHES} matches`);
    else if (hunt.bytes >= MAX_TOTAL_BYTES) hunt.notes.add(`stopped after ${MAX_TOTAL_BYTES} bytes`);
    else if (performance.now() <= endsAt) continue;
    return;
  }
}

/** Searches a file. Returns why the file cannot be searched, or `undefined`. */
async function searchFile(
  hunt: Hunt,
  path: string,
  endsAt = performance.now() + MAX_SEARCH_MS,
): Promise<string | undefined> {
  const found = await hunt.folder.read(path, MAX_FILE_BYTES, hunt.stop);
  if (!found.ok) return found.message;
  const { bytes, isWhole } = found.value;
  hunt.bytes += bytes.length;
  if (!isWhole) hunt.notes.add(`of long files only the first ${MAX_FILE_BYTES} bytes are searched`);
  // The raw text is searched first, because looking for secrets takes longer and most files have no match.
  const raw = textOf(bytes);
  if (raw === undefined || (await matchesIn(hunt, raw, 1, endsAt)).length === 0) return undefined;
  const text = await withoutSecrets(raw, hunt);
  const room = Math.min(MAX_MATCHES_IN_FILE, MAX_MATCHES - hunt.hits.length);
  const matches = await matchesIn(hunt, text, room + 1, endsAt);
  for (const { line, excerpt } of matches.slice(0, room)) hunt.hits.push(`${shownPath(path)}:${line}: ${excerpt}`);
  if (matches.length > MAX_MATCHES_IN_FILE) {
    hunt.notes.add(`of a file at most ${MAX_MATCHES_IN_FILE} matches are shown`);
  }
  return undefined;
}

interface Match {
  /** The line number, counted from 1. */
  readonly line: number;
  readonly excerpt: string;
}

async function matchesIn(hunt: Hunt, text: string, most: number, endsAt: number): Promise<readonly Match[]> {
  const matches: Match[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    if (line.length > MAX_LINE_LENGTH) hunt.notes.add(`of long lines ${MAX_LINE_LENGTH} characters are searched`);
    const begin = hunt.pattern.find(line);
    if (begin >= 0) {
      const from = Math.max(0, begin - SHOWN_BEFORE);
      const excerpt = line.slice(from, from + SHOWN_LENGTH);
      const isCut = excerpt.length < line.length;
      matches.push({ line: at + 1, excerpt: cleanLine(excerpt) + (isCut ? " [a part of the line]" : "") });
      if (matches.length >= most) break;
    }
    await hunt.pause();
    if (performance.now() > endsAt) hunt.notes.add(`stopped after ${MAX_SEARCH_MS / 1_000} seconds`);
    else if (!hunt.stop.aborted) continue;
    break;
  }
  return matches;
}
