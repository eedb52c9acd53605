import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { libraryFiles, main } from "assemblyscript/asc";
import initWabt from "wabt";

const folder = fileURLToPath(new URL(".", import.meta.url));

// The compiler finds the runtime among its own files, so ours takes the place of the one that needs a start function.
libraryFiles["rt/stub"] = await readFile(new URL("arena.ts", import.meta.url), "utf8");

const wabt = await initWabt();

/** Compiles `NAME/guard.ts`, which is AssemblyScript. */
export async function compileGuard(name) {
  const messages = [];
  const stream = { write: (text) => messages.push(text) };
  let wasm;
  const { error } = await main(
    [
      `${name}/guard.ts`,
      ...["--baseDir", folder],
      ...["--runtime", "stub"],
      ...["--use", `abort=${name}/abort/abort`],
      ...["--optimizeLevel", "3", "--shrinkLevel", "1"],
      ...["--outFile", "guard.wasm"],
    ],
    {
      stdout: stream,
      stderr: stream,
      writeFile: (_file, contents) => {
        wasm = contents;
      },
    },
  );
  if (error || !wasm) throw new Error(`${name} does not compile\n${messages.join("")}${error?.message ?? ""}`);
  return wasm;
}

/** Compiles WebAssembly text. Whether a host should load the module is not asked: some are there to be refused. */
export function compileText(file, text) {
  const module = parse(file, text);
  try {
    return module.toBinary({}).buffer;
  } finally {
    module.destroy();
  }
}

function parse(file, text) {
  try {
    return wabt.parseWat(file, text);
  } catch (error) {
    // Without its stack, which quotes a line of the compiler that is half a megabyte long.
    throw new Error(`${file} does not compile`, { cause: error.message });
  }
}
