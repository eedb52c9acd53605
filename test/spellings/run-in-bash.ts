import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const PROGRAMS = (
  "bash sh env nice nohup setsid timeout stdbuf ionice taskset chrt choom prlimit setpriv setarch i386 linux64 flock xargs find " +
  "cat echo printf true false ls tee head seq split sed sort grep mkdir touch sleep cp ln"
).split(" ");

/** Texts that run longer than this are ended. */
const SECONDS_PER_TEXT = 3;
const WORKERS = 2;

/**
 * Runs each text with a real Bash, and returns the numbers of those that ran the program with their own number as its
 * argument: `rm x17` in text 17. A test program that leaves a mark replaces the program. All of it runs without
 * privileges in separate namespaces, below a root that has copies of some programs and nothing else.
 */
export async function ranInBash(texts: readonly string[], program: string): Promise<ReadonlySet<number>> {
  const root = makeRoot(texts, program);
  try {
    await runNamespaced(root);
    const marks = readFileSync(join(root, "log/marks"), "utf8");
    return new Set([...marks.matchAll(/\bx(\d+)\b/g)].map(([, number]) => Number(number)));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function makeRoot(texts: readonly string[], program: string): string {
  const root = mkdtempSync(join(tmpdir(), "hookbox-spellings-"));
  chmodSync(root, 0o755);
  for (const folder of ["bin", "usr", "etc", "dev", "proc", "log", "cwd", "texts", "tmp"])
    mkdirSync(join(root, folder));
  symlinkSync("../bin", join(root, "usr/bin"));
  copyPrograms(root);
  writeFileSync(join(root, "bin", program), '#!/bin/sh\necho "$*" >>/log/marks\n', { mode: 0o755 });
  writeFileSync(join(root, "etc/words"), "word\n");
  writeFileSync(join(root, "etc/passwd"), "root:x:0:0::/:/bin/bash\nnobody:x:65534:65534::/:/bin/bash\n");
  writeFileSync(join(root, "log/marks"), "");
  writeFileSync(join(root, "dev/null"), "");
  for (const open of ["log", "log/marks", "cwd", "tmp"]) chmodSync(join(root, open), 0o777);
  symlinkSync("/proc/self/fd", join(root, "dev/fd"));
  symlinkSync("/proc/self/fd/0", join(root, "dev/stdin"));
  for (const [index, text] of texts.entries()) {
    writeFileSync(join(root, "texts", String(index)), text);
    mkdirSync(join(root, "cwd", String(index)));
    chmodSync(join(root, "cwd", String(index)), 0o777);
  }
  writeFileSync(join(root, "worker"), WORKER, { mode: 0o755 });
  return root;
}

/** Copies of the programs and of the libraries that they load. */
function copyPrograms(root: string): void {
  const folders = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"];
  const files = PROGRAMS.map((name) => {
    const file = name === "sh" ? "dash" : name;
    const found = folders.map((folder) => join(folder, file)).find(existsSync);
    if (found === undefined) throw new Error(`${file} is not installed`);
    copyFileSync(realpathSync(found), join(root, "bin", name));
    chmodSync(join(root, "bin", name), 0o755);
    return realpathSync(found);
  });
  const preloaded = "/usr/libexec/coreutils/libstdbuf.so";
  if (existsSync(preloaded)) copyInto(root, preloaded);
  const { stdout } = spawnSync("ldd", files, { encoding: "utf8" });
  for (const library of new Set(stdout.match(/\/\S+\.so[.\d]*/g))) copyInto(root, library);
}

function copyInto(root: string, file: string): void {
  const target = join(root, file);
  if (existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(realpathSync(file), target);
  chmodSync(target, 0o755);
}

/** A text that starts itself again and again (a fork bomb) must not use up the machine's process ids. */
const MAX_PROCESSES = 500;

/** Runs every n-th text, each in a separate folder. */
const WORKER = `#!/bin/bash
ulimit -u ${MAX_PROCESSES} || exit 1
for ((number = $1; number < $3; number += $2)); do
  cd /cwd/$number || exit 1
  timeout -k 1 ${SECONDS_PER_TEXT} bash -c "$(</texts/$number)" </dev/null >/dev/null 2>&1
done
`;

const SETUP = `
mount --make-rprivate / && mount --bind /dev/null "$0/dev/null" && mount -t proc proc "$0/proc" || exit 9
count=$(ls "$0/texts" | wc -l)
drop=(setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs --bounding-set -all)
[ "$1" = user ] && drop=()
for ((worker = 0; worker < ${WORKERS}; worker++)); do
  chroot "$0" /bin/env -i PATH=/bin HOME=/tmp "\${drop[@]}" /bin/bash /worker "$worker" ${WORKERS} "$count" </dev/null >/dev/null &
  pids+=($!)
done
wait "\${pids[@]}"
sleep 0.5
`;

async function runNamespaced(root: string): Promise<void> {
  const isRoot = process.getuid?.() === 0;
  const namespaces = [
    "--mount",
    "--pid",
    "--net",
    "--fork",
    "--kill-child",
    ...(isRoot ? [] : ["--user", "--map-root-user"]),
  ];
  const args = [...namespaces, "bash", "-c", SETUP, root, isRoot ? "root" : "user"];
  await new Promise<void>((resolve, reject) => {
    const child = spawn("unshare", args, { stdio: ["ignore", "ignore", "pipe"] });
    let errorOutput = "";
    child.stderr.on("data", (chunk) => {
      errorOutput += String(chunk);
    });
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`unshare ended with ${code}: ${errorOutput}`)),
    );
  });
}
