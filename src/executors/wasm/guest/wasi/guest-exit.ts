/** Thrown into a guest that has ended itself. */
export class GuestExit extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`ended itself with proc_exit(${code})`);
    this.code = code;
  }
}
