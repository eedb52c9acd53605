import { enterDirectory, leaveDirectory } from "../paths/directory";
import { countCommands, countDownloads, lastOutput } from "../rules/effects";
import { giveUp } from "../verdict";
import { FETCHED, UNKNOWN } from "./marks";
import { parseList, UNTIL_PAREN } from "./parser";
import { enter, leave, Scanner } from "./scanner";

/** Judges the commands of a substitution, up to `)` or the end, and gives what they print where that is plain to see. */
export function outputOf(scanner: Scanner): string {
  const unknown = String.fromCharCode(UNKNOWN);
  if (!enter()) {
    giveUp("nested too deeply");
    return unknown;
  }
  const commands = countCommands();
  const downloads = countDownloads();
  const directory = enterDirectory();
  parseList(scanner, UNTIL_PAREN, false);
  leaveDirectory(directory);
  leave();
  if (countDownloads() !== downloads) return String.fromCharCode(FETCHED);
  const output = lastOutput();
  return countCommands() === commands + 1 && output !== null ? output : unknown;
}
