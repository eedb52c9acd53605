import initWabt from "wabt";

const wabt = await initWabt();

/** Compiles WebAssembly text. Does not check whether a host would admit the module, because some must be refused. */
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
    // The error omits the stack, which quotes a line of the compiler that is half a megabyte long.
    throw new Error(`${file} does not compile`, { cause: error.message });
  }
}
