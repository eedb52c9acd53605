// What the functions of other languages do, as shell commands. A line is `COMMAND: functions`. In the command a digit
// is an argument, `@` the value before the dot, and `*` all arguments. `-rf?` is used only if the call mentions
// `recursive`. A command that starts with `!` is a function of program.ts. `.name` is a method of any value; a name
// without a dot is a function that is not a method.

import { LANGUAGES, type LanguageName } from "./languages.ts";

const EFFECTS: Readonly<Record<LanguageName, string>> = {
  python: `
rm -rf 0 @: .rmtree .remove_tree rmtree
rm 0: os.remove os.unlink os.rmdir os.removedirs
rm @: .unlink .rmdir
mv 0 1: os.rename os.replace os.renames shutil.move
mv @ 0: .rename
cp 0 1: shutil.copy shutil.copy2 shutil.copyfile shutil.copytree
tee @: .write_text .write_bytes
tee 0: os.truncate
chmod 1 0: os.chmod
ln -s 0 1: os.symlink os.link
kill -9 0: os.kill os.killpg
cd 0: os.chdir
!run: .system os.popen subprocess.run subprocess.call subprocess.check_call subprocess.check_output subprocess.Popen .Popen
!run: .check_call .check_output .getoutput .getstatusoutput os.execv os.execve os.execvp os.execvpe os.execl os.execlp os.execle
!run: os.spawnv os.spawnvp os.spawnl os.spawnlp os.posix_spawn os.posix_spawnp pty.spawn .create_subprocess_shell .create_subprocess_exec
!eval: eval exec builtins.eval builtins.exec __builtins__.eval __builtins__.exec
!open: open io.open codecs.open os.open
!openpath: .open
!fetch: .urlopen .urlretrieve requests.get requests.post httpx.get httpx.post urllib3.request`,
  js: `
rm -rf? 0: .rmSync .rmdirSync fs.rm fs.rmdir Deno.remove Deno.removeSync
rm -rf 0: rimraf .rimraf .rimrafSync fs-extra.remove .removeSync .emptyDirSync fs-extra.emptyDir del.deleteSync del.deleteAsync rimraf.sync
rm 0: .unlinkSync fs.unlink
mv 0 1: .renameSync fs.rename .moveSync
cp 0 1: .copyFileSync fs.copyFile .cpSync fs.cp
tee 0: .writeFileSync fs.writeFile .appendFileSync fs.appendFile .createWriteStream .truncateSync fs.truncate Deno.writeTextFile Deno.writeTextFileSync Deno.writeFile Bun.write
chmod 1 0: .chmodSync fs.chmod
ln -s 0 1: .symlinkSync fs.symlink
kill -9 0: process.kill
cd 0: process.chdir
!run: child_process.exec child_process.execFile child_process.spawn child_process.fork .execSync .spawnSync .execFileSync Deno.run Deno.Command Bun.spawn Bun.spawnSync execa.execa .execaSync shelljs.exec execa execSync
!rm: shelljs.rm
!eval: eval Function vm.runInThisContext vm.runInNewContext .runInThisContext .runInNewContext globalThis.eval
!fetch: fetch https.get http.get axios.get axios`,
  ruby: `
rm -rf * @: .rm_rf .rm_r .rmtree .remove_dir .remove_entry .remove_entry_secure rm_rf rm_r rmtree
rm *: File.delete File.unlink Dir.delete Dir.rmdir Dir.unlink FileUtils.rm FileUtils.rm_f FileUtils.safe_unlink rm_f
mv 0 1: File.rename FileUtils.mv FileUtils.move
cp 0 1: FileUtils.cp FileUtils.copy FileUtils.cp_r
tee 0: File.write IO.write File.truncate File.binwrite
chmod *: File.chmod FileUtils.chmod
chmod -R *: FileUtils.chmod_R
chown -R 0 2: FileUtils.chown_R
ln -s 0 1: File.symlink FileUtils.ln_s FileUtils.ln_sf
kill -9 1: Process.kill
cd 0: Dir.chdir FileUtils.cd
!run: system exec spawn .popen .popen2 .popen2e .popen3 .capture2 .capture2e .capture3 Kernel.system Kernel.exec Kernel.spawn Process.spawn PTY.spawn Open3.pipeline
!eval: eval Kernel.eval .instance_eval .class_eval
!open: open File.open File.new IO.sysopen
!fetch: URI.open .get_response Net.HTTP.get`,
  perl: `
rm -rf *: rmtree remove_tree .rmtree .remove_tree
rm *: unlink rmdir
rm @: .remove
mv 0 1: rename move .move
cp 0 1: copy .copy
chmod *: chmod
ln -s 0 1: symlink
kill -9 1: kill
cd 0: chdir
!run: system exec readpipe open2 open3
!eval: eval
!open: open sysopen
!fetch: get getstore .getstore`,
  php: `
rm 0: unlink rmdir
mv 0 1: rename
cp 0 1: copy
tee 0: file_put_contents
chmod 1 0: chmod
ln -s 0 1: symlink
kill -9 0: posix_kill
cd 0: chdir
!run: system exec shell_exec passthru proc_open popen pcntl_exec
!eval: eval assert create_function
!open: fopen
!fetch: curl_exec`,
  lua: `
rm 0: os.remove
mv 0 1: os.rename
!run: os.execute io.popen
!eval: load loadstring dostring
!open: io.open`,
  awk: "!run: system",
  r: `
rm -rf? 0: unlink
rm *: file.remove
mv 0 1: file.rename
!run: system system2 shell
!eval: eval`,
  julia: `
rm -rf? 0: rm Base.rm
mv 0 1: mv
cp 0 1: cp`,
  elixir: `
rm -rf 0: File.rm_rf File.rm_rf!
rm 0: File.rm File.rm! File.rmdir File.rmdir!
tee 0: File.write File.write!
!run: System.cmd System.shell os.cmd
!eval: Code.eval_string`,
};

/** The effects of each language by function. */
const TABLES = new Map<LanguageName, ReadonlyMap<string, string>>();
for (const [language, text] of Object.entries(EFFECTS)) {
  const table = new Map<string, string>();
  for (const line of text.trim().split("\n")) {
    const [effect = "", names = ""] = line.split(": ");
    for (const name of names.split(" ")) table.set(name, effect);
  }
  TABLES.set(language as LanguageName, table);
}

/** The fewest short texts, one of which is in every name of a function. */
const NEEDLES = new Map<LanguageName, readonly string[]>();
const NEEDLE_LENGTH = 4;
const SPECIAL = ["`", "getattr", "send", "s/", "s{", "%x", "qx", "_import_", "importlib"];
for (const [language, table] of TABLES) {
  const names = [...table.keys()].map((name) => name.slice(name.lastIndexOf(".") + 1));
  NEEDLES.set(language, [...covering(names), ...SPECIAL, ...(language === "awk" ? ["|", ">"] : [])]);
}

function covering(names: readonly string[]): readonly string[] {
  const chosen: string[] = [];
  for (let left = names; left.length > 0; ) {
    const counts = new Map<string, number>();
    for (const name of left) {
      for (let at = 0; at <= Math.max(0, name.length - NEEDLE_LENGTH); at++) {
        const part = name.slice(at, at + NEEDLE_LENGTH);
        counts.set(part, (counts.get(part) ?? 0) + 1);
      }
    }
    const [[best] = [""]] = [...counts].sort((one, other) => other[1] - one[1]);
    chosen.push(best);
    left = left.filter((name) => !name.includes(best));
  }
  return chosen;
}

/** Effects that a long program is searched for: trees that are removed, and text that is run. */
const SEVERE = /^(?:rm -rf|!run|!eval|!rm|kill)/;
const SEVERE_NEEDLES = new Map<LanguageName, readonly string[]>();
for (const [language, table] of TABLES) {
  const severe = [...table].filter(([, effect]) => SEVERE.test(effect)).map(([name]) => name);
  const open = LANGUAGES[language].bareCalls ? "" : "(";
  const names = severe.map((name) => name.slice(name.lastIndexOf(".") + 1) + open);
  SEVERE_NEEDLES.set(language, [...new Set([...names, "getattr(", "%x", "qx"])]);
}

/**
 * Returns texts, one of which is in every line with an effect. In a long program only lines with a severe effect are
 * found, because long programs of ordinary work write many files, and each line costs fuel.
 */
export function needlesOf(language: LanguageName, isLong = false): readonly string[] {
  return (isLong ? SEVERE_NEEDLES : NEEDLES).get(language) ?? [];
}

/** Returns the effect of a function. `name` is its name with the modules or values before it. */
export function effectOf(language: LanguageName, name: string): string | undefined {
  const table = TABLES.get(language);
  const path = name.includes(".promises.") ? name.replace(".promises.", ".") : name;
  const dot = path.lastIndexOf(".");
  return table?.get(path) ?? (dot < 0 ? undefined : table?.get(path.slice(dot)));
}
