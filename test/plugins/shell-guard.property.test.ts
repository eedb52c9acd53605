import { describe, expect, test } from "vitest";
import { codePoint } from "../helpers/code-point.ts";
import fc from "../helpers/fc.ts";
import { bashEvent, callShellGuard, fixtures, judge } from "./shell-guard-verdict.ts";
import { read } from "./verdict.ts";

describe("properties", () => {
  const shellPiece = fc.constantFrom(
    ..."'\"\\$`(){}[]<>|&;#*?~!=+-/., \n\t".split(""),
    ...[
      "rm",
      "-rf",
      "/",
      "~",
      "$HOME",
      "${x:-",
      "$(",
      "$((",
      "<<",
      "<<<",
      "EOF",
      "\nEOF\n",
      "&&",
      "||",
      ";;",
      "in",
      "do",
    ],
    ...[
      "case",
      "esac",
      "for",
      "if",
      "fi",
      "while",
      "done",
      "function",
      "[[",
      "]]",
      "{a,b}",
      "x=1",
      "find",
      "-exec",
      "sh -c ",
    ],
    ...["eval", "xargs", "echo", "git push", "\ue000", "\ud83d", "\u{1f600}", "\u0000"],
  );
  const shellText = fc.array(shellPiece, { maxLength: 60 }).map((pieces) => pieces.join(""));
  const anyText = fc.oneof(shellText, fc.string({ unit: codePoint, maxLength: 80 }));
  const decisions = ["deny", "ask", "none"];

  test("any text as a command gets a valid answer", () => {
    fc.assert(
      fc.property(anyText, (command) => {
        expect(decisions).toContain(judge(command).decision);
      }),
      { numRuns: 1500 },
    );
  });

  test("any event gets a valid answer", () => {
    const event = fc.record(
      {
        hook_event_name: fc.oneof(fc.constantFrom("PreToolUse", "PermissionRequest"), fc.jsonValue()),
        tool_name: fc.oneof(fc.constantFrom("Bash", "shell", "Write"), fc.jsonValue()),
        tool_input: fc.oneof(
          fc.record({ command: fc.oneof(anyText, fc.jsonValue()), file_path: fc.jsonValue() }, { requiredKeys: [] }),
          fc.jsonValue(),
        ),
        cwd: fc.oneof(anyText, fc.jsonValue()),
        command: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    const path = anyText.filter((text) => text !== "");
    const config = fc.record(
      { protectedPaths: fc.array(path), verdicts: fc.record({ git: fc.constantFrom("deny", "ask", "pass") }) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(event, config, (value, settings) => {
        expect(decisions).toContain(read(callShellGuard(JSON.stringify(value), settings)).decision);
      }),
      { numRuns: 1500 },
    );
  });

  test("JSON that is cut or changed is refused or answered, and never traps", () => {
    const event = JSON.stringify({
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      tool_input: { command: "rm -rf /" },
    });
    fc.assert(
      fc.property(fc.nat(event.length), fc.string({ maxLength: 3 }), fc.nat(3), (at, insert, drop) => {
        const answer = callShellGuard(event.slice(0, at) + insert + event.slice(at + drop));
        expect(answer.code === 0 ? typeof answer.output : typeof answer.error).toBe("string");
      }),
      { numRuns: 1000 },
    );
  });

  test("the spelling of the JSON does not matter", () => {
    fc.assert(
      fc.property(anyText, (command) => {
        const plain = bashEvent(command);
        const escaped = plain.replace(
          /[^"\\{}:,\w]/g,
          (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
        );
        // A backslash escapes the character after it, so such a text is not changed.
        const spelling = plain.includes("\\") ? ` ${plain}\n` : escaped;
        expect(read(callShellGuard(spelling))).toEqual(read(callShellGuard(plain)));
      }),
      { numRuns: 500 },
    );
  });

  const denied = fixtures
    .filter(({ decision, config }) => decision === "deny" && config === undefined)
    .map(({ event }) => event as { tool_input?: { command?: unknown }; cwd?: string })
    .filter(({ tool_input, cwd }) => typeof tool_input?.command === "string" && cwd === undefined)
    // In the directory that the call names, the command means something else.
    .filter(({ tool_input }) => Object.keys(tool_input ?? {}).length === 1)
    .map(({ tool_input }) => tool_input?.command as string);
  const quoted = fc.oneof(
    fc.string({ unit: codePoint, maxLength: 40 }).map((text) => `'${text.replaceAll("'", "'\\''")}'`),
    fc.string({ unit: codePoint, maxLength: 40 }).map((text) => `"${text.replace(/["\\$`]/g, "\\$&")}"`),
  );

  test("harmless quoted text around a denied command does not make it pass", () => {
    fc.assert(
      fc.property(fc.constantFrom(...denied), quoted, fc.nat(3), (command, text, place) => {
        const around = [
          `echo ${text}; ${command}`,
          `echo ${text} && ${command}`,
          `${text} || ${command}`,
          `${command}\necho ${text}`,
        ][place] as string;
        expect(judge(around).decision).not.toBe("none");
      }),
      { numRuns: 1500 },
    );
  });

  test("quoted text alone is never denied", () => {
    fc.assert(
      fc.property(fc.constantFrom(...denied), (command) => {
        const inSingles = `'${command.replaceAll("'", "'\\''")}'`;
        expect(judge(`git commit -m ${inSingles}`).decision).toBe("none");
        expect(judge(`echo ${inSingles} > notes.txt`).decision).toBe("none");
        expect(judge(`cat > notes.txt <<'@END@'\n${command}\n@END@\n`).decision).toBe("none");
      }),
    );
  });
});
