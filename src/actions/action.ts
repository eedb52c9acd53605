/**
 * What a tool call does, whatever the agent calls its tool. Guards get the actions as `event.actions`.
 *
 * Paths and directories are absolute if the event names its directory. A path from `~/` on is in the user's home. Other
 * relative paths are relative to a directory that the host does not know. `content` and `at` are JSON pointers into
 * `tool_input`, because a copy of a file's content would double the event.
 */
export type Action = CommandAction | FileAction | MoveAction | RequestAction | UnreadAction;

interface CommandAction {
  readonly kind: "command";
  /** The text that a shell reads, or a list of arguments that no shell parses. */
  readonly command: string | readonly string[];
  /** The shell that reads the command, if it is not a POSIX shell. */
  readonly shell?: "powershell" | "cmd";
  /** The folder in which the command runs. Absent if neither the call nor its event names a folder. */
  readonly directory?: string;
}

interface FileAction {
  readonly kind: "read" | "write" | "delete";
  readonly path: string;
  /** The new content of a written file, or the changes: a text, a list or a patch. */
  readonly content?: string;
}

interface MoveAction {
  readonly kind: "move";
  readonly path: string;
  readonly to: string;
}

interface RequestAction {
  readonly kind: "request";
  readonly url: string;
  readonly method: string;
}

/** A part of the input that the host cannot read, such as a path that is not text. A guard should ask. */
export interface UnreadAction {
  readonly kind: "unread";
  /** The kind of the action that the part belongs to. */
  readonly of: Exclude<Action["kind"], "unread">;
  readonly at: string;
  readonly why: string;
}
