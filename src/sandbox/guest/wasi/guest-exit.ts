/** Thrown into a guest that called `proc_exit`. */
export class GuestExit extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`ended itself with proc_exit(${code})`);
    this.code = code;
  }
}
