import { describe, expect, test } from "vitest";
import { bashEvent, callShellGuard, judge } from "./shell-guard-verdict.ts";
import { read } from "./verdict.ts";

describe("input", () => {
  test.each([["/etc"], [{}], [[1]], [true], ["[1"]])("protectedPaths of %j is a failure", (protectedPaths) => {
    const answer = callShellGuard(bashEvent("ls"), { protectedPaths });
    expect(answer).toMatchObject({ code: 1, output: undefined, error: expect.stringContaining("protectedPaths") });
  });

  test("escaped keys and values are read like any other", () => {
    const input =
      '{"hook_event_name":"PreToolUse","tool\\u005fname":"B\\u0061sh","tool_input":{"c\\u006fmmand":"\\u0072m -rf \\/"}}';
    expect(read(callShellGuard(input)).decision).toBe("deny");
  });

  test("the last of two members with one key counts, as in JSON.parse", () => {
    const input =
      '{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls","command":"rm -rf /"}}';
    expect(read(callShellGuard(input)).decision).toBe("deny");
  });
});

describe("text that ends too early", () => {
  // A shell rejects it, or waits for more. It is judged as if it were closed, because text that completes it would
  // close it; if that gives no decision, the user is asked.
  test.each([
    ["rm -rf / 'unterminated", "deny"],
    ['git push -f origin main "unterminated', "deny"],
    ["find . -delete `unterminated", "deny"],
    ["echo $(rm -rf /", "deny"],
    ["git reset --hard`unterminated", "deny"],
    ["echo ${x:-$(rm -rf /)", "deny"],
    ["(rm -rf /", "deny"],
    ["ls) ; rm -rf /", "deny"],
    ["echo 'rm -rf /", "ask"],
    ["ls)", "ask"],
  ])("%j: %s", (command, decision) => {
    expect(judge(command).decision).toBe(decision);
  });

  test("an array that names itself ends", () => {
    expect(judge("a=(x $a $a); rm -rf $a").decision).toBe("none");
  });
});

describe("a removal that Bash runs in an unusual way", () => {
  test.each([
    "{,rm} -rf /",
    "!(rm -rf /)",
    ": ${d:=/etc}; rm -rf $d",
    "v='B=1'; env A$v rm -rf /",
    "source //dev/./stdin <<< 'rm -rf /'",
    "cd /dev; bash ./stdin <<< 'rm -rf /'",
    "linux64 <<< 'rm -rf /'",
    "echo 'rm -rf /' | unshare",
    "sudo -s <<< 'rm -rf /'",
    "ssh host <<< 'rm -rf /'",
    "ssh -o ProxyCommand='rm -rf /' host",
    "declare -i 'a[$(rm -rf /)]=1'",
    "unset 'a[$(rm -rf /)]'",
    "v='a[$(rm -rf /)]'; ((v))",
    "declare -i v; v='a[$(rm -rf /)]'",
    "set -- 'a[$(rm -rf /)]'; (($1))",
  ])("is denied: %j", (command) => {
    expect(judge(command).decision).toBe("deny");
  });

  test.each([
    "v='a[$(rm -rf /)]'; echo \"$v\"",
    "sudo -u me ls; echo {,-rf} /",
    "ssh host ls <<< 'rm -rf /'",
    "[[ $a == !(rm -rf /) ]]",
  ])("is not found in harmless text: %j", (command) => {
    expect(judge(command).decision).toBe("none");
  });
});
