// Compares paths with the file patterns of permission rules: `src/**`, `*.ts`, `~/.ssh/**`, `//etc/**`.

/** Whether a path, or one of its parent folders, matches. `path` is absolute, or begins with `~/`. */
export type FilePattern = (path: string, cwd: string) => boolean;

/** Returns a path without `.` and `..`, as its text shows it. Links are not followed. */
export function normalized(path: string): string {
  const names: string[] = [];
  const parts = path.normalize("NFC").replaceAll("\\", "/").split("/");
  for (const [at, part] of parts.entries()) {
    if (part === "." || (part === "" && at > 0)) continue;
    if (part === ".." && names.length > 1) names.pop();
    else if (part !== "..") names.push(part);
  }
  return names.join("/");
}

/** Compiles a pattern. A pattern without a slash counts in any folder, and any other pattern in the working directory. */
export function filePattern(text: string): FilePattern {
  const glob = text.normalize("NFC").replace(/\/+$/, "");
  if (glob.startsWith("//")) return inFolder("", glob.slice(2));
  if (/^~(?:\/|$)/.test(glob)) return inHome(glob.slice(2));
  if (glob.startsWith("/")) {
    const [below, root] = [relative(glob.slice(1)), inFolder("", glob.slice(1))];
    return (path, cwd) => below(path, cwd) || root(path, cwd);
  }
  const bare = glob.replace(/^(?:\.\/)+/, "");
  if (!bare.includes("/") || bare.startsWith("**/")) {
    const expression = expressionOf(bare.startsWith("**/") ? bare : `**/${bare}`);
    return (path) => expression.test(path.replace(/^~?\//, ""));
  }
  return relative(bare);
}

function inFolder(folder: string, glob: string): FilePattern {
  const expression = expressionOf(glob);
  return (path) => path.startsWith(`${folder}/`) && expression.test(path.slice(folder.length + 1));
}

function relative(glob: string): FilePattern {
  const expression = expressionOf(glob);
  return (path, cwd) => {
    const folder = cwd.replace(/\/+$/, "");
    // Without a working directory, any folder may be the pattern's base.
    if (folder === "") return path.split("/").some((_, at, names) => expression.test(names.slice(at).join("/")));
    return path.startsWith(`${folder}/`) && expression.test(path.slice(folder.length + 1));
  };
}

/** The homes of users. A guard does not know the user's own. */
const HOMES = /^(?:~|\/home\/[^/]+|\/Users\/[^/]+|\/root)\//;

function inHome(glob: string): FilePattern {
  const expression = expressionOf(glob === "" ? "**" : glob);
  return (path) => HOMES.test(path) && expression.test(path.replace(HOMES, ""));
}

/** Compiles a glob for a path or a folder above it. `*` and `?` do not match a slash, `**` does. */
function expressionOf(glob: string): RegExp {
  let text = "";
  let depth = 0;
  for (let at = 0; at < glob.length; at++) {
    const char = glob.charAt(at);
    const rest = glob.slice(at);
    const [set] = /^\[[^\]/]+\]/.exec(rest) ?? [];
    if (rest.startsWith("**/") && (at === 0 || glob[at - 1] === "/")) {
      text += "(?:.*/)?";
      at += 2;
    } else if (rest.startsWith("**")) {
      text += ".*";
      at += 1;
    } else if (char === "*") text += "[^/]*";
    else if (char === "?") text += "[^/]";
    else if (set !== undefined) {
      text += set.replace(/^\[!/, "[^").replace(/\\/g, "\\\\");
      at += set.length - 1;
    } else if (char === "{" && /^\{[^{}]*,[^{}]*\}/.test(rest)) {
      text += "(?:";
      depth += 1;
    } else if (depth > 0 && char === ",") text += "|";
    else if (depth > 0 && char === "}") {
      text += ")";
      depth -= 1;
    } else text += char.replace(/[\\^$.|+()[\]{}]/, "\\$&");
  }
  return new RegExp(`^(?:${text})(?:/.*)?$`, "su");
}
