import type { Console } from "./verb.ts";

/** The minimum duration of work that is shown, in milliseconds. */
const SILENT_MS = 600;
const EVERY_MS = 1_000;

/**
 * Shows long work on standard error with the seconds so far, and removes the line at the end. Prints nothing if
 * standard error is not a terminal. Settles as `work` does.
 */
export async function withProgress<Result>(
  console: Console,
  text: string,
  work: (report: (text: string) => void) => Promise<Result>,
): Promise<Result> {
  if (console.showsProgress !== true) return work(() => {});
  let shown = text;
  const begun = performance.now();
  let isShown = false;
  const show = (): void => {
    isShown = true;
    console.writeError(`\r\u001b[K  ${shown} (${Math.round((performance.now() - begun) / 1_000)} s)`);
  };
  let repeated: NodeJS.Timeout | undefined;
  const first = setTimeout(() => {
    show();
    repeated = setInterval(show, EVERY_MS);
  }, SILENT_MS);
  try {
    // The title is shown immediately, because the work may block this thread so that no timer runs.
    return await work((next) => {
      shown = next;
      show();
    });
  } finally {
    clearTimeout(first);
    clearInterval(repeated);
    if (isShown) console.writeError("\r\u001b[K");
  }
}
