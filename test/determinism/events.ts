import type { JsonObject } from "../../src/json.ts";
import { Random } from "../helpers/random.ts";

/** Calls of tools that agents make, and calls that no agent makes. The same for a seed, on every Node. */

const MAX_BYTES = 16_384;
const TOOLS = ["Bash", "Bash", "Bash", "Bash", "Bash", "shell", "Write", "Edit", "Read", "mcp__files__move", "Größe"];
const PROGRAMS = [
  "ls",
  "cat",
  "echo",
  "rm",
  "rm -rf",
  "git push --force",
  "git reset --hard",
  "git status",
  "find . -name",
  "sudo rm",
  "chmod -R 777",
  "dd if=/dev/zero",
  "mv",
  "cp -r",
  "sh -c",
  "xargs -0 rm",
  "curl -s",
  "python3 -c",
  "eval",
  "tee",
  "npm run",
  "docker run --rm",
  "kill -9",
  "mkfs.ext4",
  "tar -C",
  "env X=1",
  "nohup",
  "timeout 5",
  "ssh host",
]; // prettier-ignore
const PATHS = [
  "/",
  "/etc/passwd",
  "~",
  "~/.ssh",
  "$HOME",
  "./build",
  "../..",
  "/srv/data",
  "/tmp/x y",
  "*.log",
  "/usr/*",
  "-",
  "${DIR:-/}",
  "a{b,c}d",
  "/dev/sda",
  "node_modules",
  "ünïcode/файл",
  "日本語",
  "😀",
  "\u202egnp.exe",
  "--",
  "/srv/../etc",
]; // prettier-ignore
const JOINTS = ["; ", " && ", " || ", " | ", "\n", " & ", " |& ", ";\n\t"];
const ODD = ["\u0000", "\ud83d", "\ufeff", "\u2028", "\u001b[2J", "\\", "'", '"', "`", "$(", "}", "\r\n", "​"];

class Commands {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  command(depth = 0): string {
    const random = this.#random;
    switch (random.below(depth > 3 ? 4 : 14)) {
      case 0:
        return random.pick(PROGRAMS);
      case 1:
      case 2:
      case 3:
        return `${random.pick(PROGRAMS)} ${random.times(random.below(5), () => this.#word()).join(" ")}`;
      case 4:
      case 5:
      case 6:
        return random.times(2 + random.below(6), () => this.command(depth + 1)).join(random.pick(JOINTS));
      case 7:
        return `bash -c ${this.#quoted(this.command(depth + 1))}`;
      case 8:
        return `echo "$(${this.command(depth + 1)})" > ${random.pick(PATHS)}`;
      case 9:
        return this.#heredoc(depth);
      case 10:
        return `for f in ${random.pick(PATHS)} ${random.pick(PATHS)}; do ${this.command(depth + 1)}; done`;
      case 11:
        return `if ${this.command(depth + 1)}; then ${this.command(depth + 1)}; else ${this.command(depth + 1)}; fi`;
      case 12:
        return `f() { ${this.command(depth + 1)}; }; f`;
      default:
        return `( ${this.command(depth + 1)} ) 2>&1 >> ${random.pick(PATHS)}`;
    }
  }

  #word(): string {
    const random = this.#random;
    const word = random.pick(PATHS);
    switch (random.below(6)) {
      case 0:
        return this.#quoted(word);
      case 1:
        return `"${word.replace(/["\\$`]/g, "\\$&")}"`;
      case 2:
        return `${word}${random.pick(ODD)}`;
      case 3:
        return `-${random.pick(["r", "f", "rf", "-force", "-recursive", "v", "n"])}`;
      default:
        return word;
    }
  }

  #quoted(text: string): string {
    return `'${text.replaceAll("'", "'\\''")}'`;
  }

  #heredoc(depth: number): string {
    const end = this.#random.pick(["EOF", "END", "@"]);
    const start = this.#random.pick([end, `'${end}'`, `-${end}`, `"${end}"`]);
    const lines = this.#random.times(1 + this.#random.below(5), () => this.command(depth + 1));
    return `cat <<${start}\n${lines.join("\n")}\n${this.#random.chance(8) ? "" : `${end}\n`}`;
  }

  /** Text that is not a command: random characters. */
  noise(length: number): string {
    return this.#random
      .times(length, () =>
        this.#random.chance(9) ? this.#random.pick(ODD) : String.fromCharCode(32 + this.#random.below(95)),
      )
      .join("");
  }

  /** As many commands as fit. */
  long(bytes: number): string {
    let text = this.command();
    while (Buffer.byteLength(text) < bytes) text += this.#random.pick(JOINTS) + this.command();
    return text.slice(0, bytes);
  }
}

function payload(random: Random, commands: Commands): JsonObject {
  const text = (): string => {
    switch (random.below(20)) {
      case 0:
        return random.pick(["x", "/", "'", "\n", " ", "\u0000"]);
      case 1:
        return commands.noise(1 + random.below(400));
      case 2:
        return commands.long(1_024 + random.below(7_000));
      case 3:
        return random.chance(4) ? commands.long(MAX_BYTES) : commands.long(600);
      default:
        return commands.command();
    }
  };
  const tool = random.pick(TOOLS);
  const input: JsonObject =
    tool === "Bash" || tool === "shell"
      ? random.chance(40)
        ? { command: random.pick([null, 7, ["rm", "-rf", "/"], { a: 1 }]) }
        : { command: text(), ...(random.chance(3) ? { description: commands.noise(20) } : {}) }
      : { file_path: random.pick(PATHS), content: text() };
  return {
    session_id: `s${random.below(9)}`,
    cwd: random.pick(["/home/user/project", "/", "/srv", "/tmp/with space"]),
    tool_name: tool,
    tool_input: input,
  };
}

export function makeEvents(seed: number, count: number): readonly JsonObject[] {
  const random = new Random(seed);
  const commands = new Commands(random);
  return random.times(count, () => payload(random, commands));
}
