import { describe, expect, test } from "vitest";
import { bashEvent, callShellGuard } from "../shell-guard-verdict.ts";
import { read } from "../verdict.ts";
import { type LabelledCommand, labelledCommands } from "./labelled-commands.ts";

const labelOf = ({ category, isHarmful }: LabelledCommand): string =>
  `${category}: ${isHarmful ? "harmful" : "harmless"}`;
const commands = labelledCommands();

describe("labelled commands", () => {
  test.each([...new Set(commands.map(labelOf))])("shell-guard decides as labelled: %s", (label) => {
    const wrong = commands
      .filter((one) => labelOf(one) === label)
      .map(({ command, isHarmful }) => {
        const event = { ...JSON.parse(bashEvent(command)), cwd: "/home/me/project" };
        return { command, isHarmful, ...read(callShellGuard(JSON.stringify(event))) };
      })
      .filter(({ isHarmful, decision }) => isHarmful === (decision === "none"));
    expect(wrong).toEqual([]);
  });
});
