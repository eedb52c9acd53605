/**
 * The work of the agents' tools, by the canonical name and by the names of agents that share a dialect with others or
 * have no dialect. Tool servers use the same names. Names are in lower case.
 */

/** `copy` reads one file and writes another. `patch` is a text that changes several files. */
export type Work = "command" | "read" | "write" | "delete" | "move" | "copy" | "patch" | "request";

const TOOLS: Readonly<Record<Work, string>> = {
  command: `bash powershell shell monitor run_shell_command run_command run_background_job run_in_terminal
    run_terminal_cmd run_terminal_command execute_command execute_shell_command exec_command exec process terminal
    local_shell write_stdin start_process interact_with_process start_command container.exec`,
  read: `read notebookread grep view view_image read_file read_many_files read_multiple_files read_text_file
    read_media_file get_file_contents open_file cat search_file_content search_files_content grep_search`,
  write: `write edit multiedit notebookedit create create_file write_file save_file edit_file edit_block append_file
    replace search_replace multi_file_edit multi_edit format_file notebook_edit str_replace str_replace_editor
    str_replace_based_edit_tool insert replace_in_file insert_edit_into_file replace_string_in_file
    multi_replace_string_in_file append_to_file write_to_file create_directory`,
  delete: "delete delete_file delete_path remove_file remove_path delete_directory remove_directory trash_file",
  move: "move rename move_file move_path rename_file rename_path move_directory",
  copy: "copy copy_file copy_path copy_directory",
  patch: "apply_patch apply-patch applypatch patch apply_diff",
  request: "webfetch web_fetch fetch fetchurl fetch_url fetch_webpage http_request open_url browser_navigate navigate",
};

const WORK_OF = new Map<string, Work>();
for (const [work, names] of Object.entries(TOOLS)) {
  for (const name of names.split(/\s+/)) WORK_OF.set(name, work as Work);
}

/** Words that many servers use for other work than the agents' tools of this name. */
const ONLY_WHOLE: ReadonlySet<string> = new Set(
  "read view write edit create insert replace delete move copy patch process exec terminal cat navigate".split(" "),
);

/**
 * Returns the work of a tool, and `undefined` for unknown tools. The name of a server's tool ends with the server's own
 * name for the tool: `mcp__files__write_file`, `files-write_file`.
 */
export function workOf(tool: string): Work | undefined {
  const name = tool.toLowerCase().trim();
  const known = WORK_OF.get(name);
  if (known !== undefined || name.length > MAX_NAME_LENGTH) return known;
  for (const { index } of name.matchAll(/[-_/.:]+/g)) {
    const end = name.slice(index).replace(/^[-_/.:]+/, "");
    const work = ONLY_WHOLE.has(end) ? undefined : WORK_OF.get(end);
    if (work !== undefined) return work;
  }
  return undefined;
}

const MAX_NAME_LENGTH = 200;

/** The part that a field of a tool's input plays. */
export type Part = "path" | "to" | "command" | "arguments" | "content" | "patch" | "url" | "method" | "directory";

const FIELDS: Readonly<Record<Part, string>> = {
  path: `filepath path paths notebookpath file files filename targetfile absolutepath relativepath source sourcepath
    oldpath src from`,
  to: "destination destinationpath dest to newpath newname target targetpath",
  command: "command cmd commandline",
  arguments: "args arguments argv",
  content:
    "content contents filetext newstring newtext newsource newstr edits replacements changes blocks text replacement",
  patch: "patch patchtext diff input",
  url: "url urls uri",
  method: "method",
  directory: "cwd workdir directory workingdirectory dirpath",
};

const PART_OF = new Map<string, Part>();
for (const [part, names] of Object.entries(FIELDS)) {
  for (const name of names.split(/\s+/)) PART_OF.set(name, part as Part);
}

/** Returns the part of a field: `file_path`, `filePath` and `FilePath` are the same. */
export function partOf(key: string): Part | undefined {
  const known = PART_OF.get(key);
  if (known !== undefined || key.length > MAX_NAME_LENGTH) return known;
  return PART_OF.get(key.toLowerCase().replaceAll(/[-_]/g, ""));
}
