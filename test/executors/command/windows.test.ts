import { describe, expect, test } from "vitest";
import { planSpawn, type SpawnForm } from "../../../src/executors/command/spawn-form.ts";
import { windowsKill } from "../../../src/processes/process-group.ts";
import type { Disk } from "../../../src/processes/search-path.ts";
import { commandRule, toolEvent } from "./command-rule.ts";

/** Rules for Windows, on a disk that is a list of files. No process is started. */

type Handler = Parameters<typeof commandRule>[0];

const PARENT = {
  Path: ".;C:\\tools;C:\\Git\\cmd;bin",
  SystemRoot: "C:\\Windows",
  ProgramFiles: "C:\\Program Files",
  LOCALAPPDATA: "C:\\Users\\ada\\AppData\\Local",
  USERPROFILE: "C:\\Users\\ada",
};
const BUILT_IN = "C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe";

function diskOf(files: readonly string[]): Disk & { readonly asked: string[] } {
  const asked: string[] = [];
  const isThere = (file: string) => files.some((one) => one.toLowerCase() === file.toLowerCase());
  return {
    asked,
    checkExecutable: (file) => {
      asked.push(file);
      return isThere(file) ? { ok: true, file } : { ok: false, reason: `${file} does not exist` };
    },
    isDirectory: (folder) => folder.startsWith("C:\\Work"),
  };
}

function plan(handler: Handler, files: readonly string[], parts = {}) {
  const rule = commandRule(handler, { baseDir: "C:\\Work\\rules", ...parts });
  if (rule.handler.type !== "command") throw new Error("not a command rule");
  const disk = diskOf(files);
  return { planned: planSpawn(rule, rule.handler, toolEvent(), PARENT, "win32", disk), asked: disk.asked };
}

function formOf(handler: Handler, files: readonly string[]): SpawnForm {
  const { planned } = plan(handler, files);
  if (!planned.ok) throw new Error(planned.failure.message);
  return planned.form;
}

function refusalOf(handler: Handler, files: readonly string[]): string {
  const { planned } = plan(handler, files);
  if (planned.ok) throw new Error(`started ${planned.form.file}`);
  expect(planned.failure.kind).toBe("spawn");
  return planned.failure.message;
}

describe("on Windows the exec form", () => {
  test("finds a program by its extension, on PATH only", () => {
    const { planned, asked } = plan({ command: "guard", args: ["a b"] }, [
      "C:\\tools\\guard.exe",
      "C:\\Work\\rules\\guard.exe",
    ]);
    expect(planned).toMatchObject({ form: { form: "exec", file: "C:\\tools\\guard.exe", args: ["a b"] } });
    expect(asked.filter((file) => !/^C:\\(tools|Git)\\/.test(file))).toEqual([]);
  });

  test("resolves a path in the rule's folder, with or without its extension", () => {
    for (const command of [".\\guard", "./guard.exe", "C:\\Work\\rules\\guard"]) {
      expect(formOf({ command, args: [] }, ["C:\\Work\\rules\\guard.exe"]).file).toMatch(/^C:\\Work\\rules\\guard/);
    }
  });

  test.each(["guard.cmd", "guard.BAT", ".\\guard.cmd", "C:\\tools\\guard.bat"])(
    "refuses %s: cmd.exe would interpret the arguments",
    (command) => {
      const files = ["C:\\tools\\guard.cmd", "C:\\tools\\guard.bat", "C:\\Work\\rules\\guard.cmd"];
      expect(refusalOf({ command, args: [] }, files)).toMatch(/guard\.(cmd|bat) is a batch file/i);
    },
  );

  test("refuses a name of a batch file, and does not search for another program of that name", () => {
    const files = ["C:\\tools\\npm", "C:\\tools\\npm.cmd", "C:\\Git\\cmd\\npm.exe"];
    expect(refusalOf({ command: "npm", args: [] }, files)).toContain("C:\\tools\\npm.cmd is a batch file");
  });

  test("does not treat a file without an extension as a program", () => {
    expect(refusalOf({ command: "guard", args: [] }, ["C:\\tools\\guard"])).toContain("was not found on PATH");
  });
});

describe("on Windows the shell form", () => {
  const command = "./check.sh";

  test.each([
    ["of the git on PATH", ["C:\\Git\\cmd\\git.exe", "C:\\Git\\bin\\bash.exe"], "C:\\Git\\bin\\bash.exe"],
    ["of Git for Windows", ["C:\\Program Files\\Git\\bin\\bash.exe"], "C:\\Program Files\\Git\\bin\\bash.exe"],
    [
      "of a user's own Git",
      ["C:\\Users\\ada\\AppData\\Local\\Programs\\Git\\bin\\bash.exe"],
      "C:\\Users\\ada\\AppData\\Local\\Programs\\Git\\bin\\bash.exe",
    ],
  ])("uses the Git Bash %s", (_, files, file) => {
    for (const shell of [undefined, "sh", "bash"] as const) {
      const handler = { command, ...(shell === undefined ? {} : { shell }) };
      expect(formOf(handler, [BUILT_IN, ...files])).toMatchObject({ form: "shell", file, args: ["-c", command] });
    }
  });

  test("does not use the bash on PATH, which belongs to the Linux subsystem", () => {
    expect(refusalOf({ command, shell: "bash" }, ["C:\\tools\\bash.exe", BUILT_IN])).toContain(
      "Git Bash was found neither",
    );
  });

  test("uses PowerShell if there is no Git Bash and the rule does not ask for one", () => {
    expect(formOf({ command }, [BUILT_IN])).toMatchObject({ form: "powershell", file: BUILT_IN });
    expect(refusalOf({ command }, [])).toContain("Git Bash was found neither");
  });

  test("finds PowerShell: the new one first, and the preinstalled one last", () => {
    const files = ["C:\\tools\\pwsh.exe", "C:\\tools\\powershell.exe", BUILT_IN];
    for (const [index, file] of files.entries())
      expect(formOf({ command, shell: "powershell" }, files.slice(index)).file).toBe(file);
    expect(refusalOf({ command, shell: "powershell" }, [])).toContain('neither "pwsh" nor "powershell"');
  });
});

describe("on Windows", () => {
  test("a child does not search its working directory for programs", () => {
    expect(formOf({ command: "guard", args: [] }, ["C:\\tools\\guard.exe"]).env).toMatchObject({
      NoDefaultCurrentDirectoryInExePath: "1",
      Path: "C:\\tools;C:\\Git\\cmd",
    });
  });

  test("a working directory is expanded ignoring case, and `~` is the user's profile", () => {
    const handler = { command: "guard", args: [], env: { Root: "C:\\Work\\here" } };
    const folderOf = (workingDir: string) => formOf({ ...handler, workingDir }, ["C:\\tools\\guard.exe"]).cwd;
    expect(folderOf("$ROOT\\deep")).toBe("C:\\Work\\here\\deep");
    expect(folderOf("..\\other")).toBe("C:\\Work\\other");
    expect(refusalOf({ ...handler, workingDir: "~\\x" }, ["C:\\tools\\guard.exe"])).toContain(
      "C:\\Users\\ada\\x is not a",
    );
  });

  test("a tree of processes is ended by taskkill, named by its full path", () => {
    expect(windowsKill(4711, "D:\\Win")).toEqual({
      file: "D:\\Win\\System32\\taskkill.exe",
      args: ["/pid", "4711", "/t", "/f"],
    });
    expect(windowsKill(1).file).toBe("C:\\Windows\\System32\\taskkill.exe");
  });
});
