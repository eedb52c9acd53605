import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { describeThrown, HookError } from "../errors.ts";
import { makeFolder } from "../files/make-folder.ts";
import { packageFolder } from "../package-info.ts";

/**
 * `hookbox new`: makes a folder with a small guard that builds and passes its tests, as a start for the user's guard.
 */

interface Template {
  /** The description of each file by its name, in the displayed order. */
  readonly files: Readonly<Record<string, string>>;
  /**
   * Parts of the SDK that are copied next to the guard from the package, so that a compiler finds them in any folder.
   */
  readonly copied: Readonly<Record<string, string>>;
  readonly needs: readonly Need[];
}

/** A program or package that the user has to install once. */
interface Need {
  readonly command: string;
  readonly why: string;
}

const TESTS = "test events, with the expected answers";
const README = "what the guard does, for its users";

const TEMPLATES = {
  ts: {
    files: {
      "guard.ts": "the guard",
      "fixtures.json": TESTS,
      "tsconfig.json": "for your editor",
      "README.md": README,
    },
    copied: {},
    needs: [{ command: "npm install --save-dev hookbox esbuild", why: "once, in this folder or above it" }],
  },
  rust: {
    files: {
      "guard.rs": "the guard",
      "Cargo.toml": "how it is compiled",
      "manifest.json": "its name, events and configuration",
      "fixtures.json": TESTS,
      "README.md": README,
    },
    copied: { "hookbox-guest": "guest-sdk/rust" },
    needs: [{ command: "rustup target add wasm32-unknown-unknown", why: "once" }],
  },
  c: {
    files: {
      "guard.c": "the guard",
      "manifest.json": "its name, events and configuration",
      "fixtures.json": TESTS,
      "README.md": README,
    },
    copied: { "hookbox.h": "guest-sdk/c/hookbox.h" },
    needs: [{ command: "npm install --save-dev @yowasp/clang", why: "once, if there is no clang with lld" }],
  },
} as const satisfies Record<string, Template>;

type LanguageName = keyof typeof TEMPLATES;
export const LANGUAGE_NAMES = Object.keys(TEMPLATES) as readonly LanguageName[];

interface Scaffold {
  readonly folder: string;
  readonly files: readonly { readonly name: string; readonly what: string }[];
  readonly needs: readonly Need[];
}

/** The guard's name in the templates. */
const PLACEHOLDER = /my-guard/g;
const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const MAX_NAME_LENGTH = 60;

/**
 * Makes `folder`, whose last part is the guard's name. Throws `HOOK_NEW_FOLDER`. Removes a new folder that could not be
 * completed.
 */
export async function scaffoldGuard(folder: string, language: LanguageName): Promise<Scaffold> {
  const name = basename(folder);
  if (!NAME.test(name) || name.length > MAX_NAME_LENGTH) {
    throw refuse(
      `"${name}" is not a valid name for a guard`,
      `use at most ${MAX_NAME_LENGTH} lower-case letters, digits and single dashes, and begin with a letter, for example no-production`,
    );
  }
  const template: Template = TEMPLATES[language];
  const existed = await refuseFilled(folder);
  try {
    await makeFolder(folder);
    const source = join(packageFolder(), "guest-sdk/templates", language);
    for (const file of Object.keys(template.files)) {
      const text = (await readFile(join(source, file), "utf8")).replace(PLACEHOLDER, name);
      await writeFile(join(folder, file), text, { flag: "wx" });
    }
    for (const [file, from] of Object.entries(template.copied)) {
      await cp(join(packageFolder(), from), join(folder, file), { recursive: true, filter: isShipped });
    }
  } catch (error) {
    if (!existed) await rm(folder, { recursive: true, force: true });
    throw refuse(`${folder} cannot be created: ${describeThrown(error)}`);
  }
  const copied = Object.keys(template.copied).map((file) => ({ name: file, what: "a copy of the library" }));
  return {
    folder,
    files: [...Object.entries(template.files).map(([file, what]) => ({ name: file, what })), ...copied],
    needs: template.needs,
  };
}

/** Whether a part of the library is copied. Examples, tests and files of compilers are not copied. */
function isShipped(path: string): boolean {
  return !["example", "examples", "tests", "target", "Cargo.lock"].includes(basename(path));
}

/** Whether the folder exists and is empty. Throws if it is not empty. */
async function refuseFilled(folder: string): Promise<boolean> {
  try {
    const entries = await readdir(folder);
    if (entries.length === 0) return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return false;
    if (code !== "ENOTDIR") throw refuse(`${folder} cannot be created: ${describeThrown(error)}`);
    throw refuse(`${folder} cannot be created: it, or ${dirname(folder)}, is a file`);
  }
  throw refuse(`${folder} already exists and is not empty`, "choose another name: hookbox new overwrites nothing");
}

function refuse(message: string, hint?: string): HookError {
  return new HookError("HOOK_NEW_FOLDER", message, hint === undefined ? {} : { hint });
}
