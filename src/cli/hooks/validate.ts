import type { Dialect } from "../../dialects/dialect.ts";
import { createEngine } from "../../engine.ts";
import type { Problem } from "../../errors.ts";

/**
 * Returns the errors that a new text would add to a file. Loads the rules and their modules before the file is written.
 */
export async function newErrors(
  file: { readonly path: string; readonly text: string; readonly dialect: Dialect },
  text: string,
): Promise<readonly Problem[]> {
  const known = (await errorsOf(file, file.text)).map(described);
  return (await errorsOf(file, text)).filter((problem) => {
    const at = known.indexOf(described(problem));
    if (at >= 0) known.splice(at, 1);
    return at < 0;
  });
}

async function errorsOf(
  { path, dialect }: { readonly path: string; readonly dialect: Dialect },
  text: string,
): Promise<readonly Problem[]> {
  if (text === "") return [];
  const engine = await createEngine({
    configFiles: [{ file: path, dialect: dialect.name, layer: "command-line", text }],
    sandbox: { threads: 1 },
    askServers: "none",
  });
  await engine.close();
  return engine.problems.filter(({ severity }) => severity === "error");
}

function described({ code, message }: Problem): string {
  return `${code} ${message}`;
}
