import { readdirSync, readFileSync } from "node:fs";

/** As in `relay/relay.c`. */
const LOOK_MS = 250;
const MAX_STOPPED_LOOKS = 8;

/**
 * Kills this socket's server if its process is stopped in 8 looks in a row, which takes two seconds. The connection ends
 * with the server, and the relay's next attempt starts another one.
 */
export function endStopped(socket: string): void {
  let looks = 0;
  const looking = setInterval(() => {
    const stopped = stoppedServers(socket);
    looks = stopped.length > 0 ? looks + 1 : 0;
    if (looks >= MAX_STOPPED_LOOKS) for (const pid of stopped) kill(pid);
  }, LOOK_MS);
  looking.unref();
}

/**
 * Returns the server's processes that a signal such as SIGSTOP has stopped. A busy process runs or sleeps, so the result
 * is exact on a busy machine too. Returns none on systems without `/proc`.
 */
function stoppedServers(socket: string): readonly number[] {
  return numbersIn("/proc").filter((pid) => {
    try {
      // The state follows the name, which may contain any character.
      if (!/^.*\) T/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"))) return false;
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      const isServer = words.includes("serve") && (words.includes("--supervised") || words.includes("--listen-fd"));
      return isServer && words[words.indexOf("--socket") + 1] === socket;
    } catch {
      // The process has ended.
      return false;
    }
  });
}

function numbersIn(folder: string): readonly number[] {
  try {
    return readdirSync(folder).map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Another relay has killed the server.
  }
}
