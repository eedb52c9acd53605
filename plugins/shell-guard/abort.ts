/** Where the compiler sends failed assertions: a trap, because a guard that is confused must not answer. */
export function abort(_message: string | null, _file: string | null, _line: u32, _column: u32): void {
  unreachable();
}
