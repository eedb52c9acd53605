// What the commands judged so far would do beyond being allowed or not: a substitution and a pipeline ask for it.

let commands: i32 = 0;
let downloads: i32 = 0;
let output: string | null = null;

export function resetEffects(): void {
  commands = 0;
  downloads = 0;
  output = null;
}

/** A command ran; what it prints is null unless that can be read off its words. */
export function noteCommand(prints: string | null): void {
  commands++;
  output = prints;
}

export function noteDownload(): void {
  downloads++;
}

export function countCommands(): i32 {
  return commands;
}

export function countDownloads(): i32 {
  return downloads;
}

export function lastOutput(): string | null {
  return output;
}
