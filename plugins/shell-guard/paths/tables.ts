// The paths that are protected on every machine, in addition to configured paths.

/** Trees below the root, protected with everything in them. */
export const TREES = places(
  ...["bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "proc", "sbin", "sys", "usr", "var"],
  ...["Applications", "Library", "System"],
);

/** Directories that are protected as a whole. A single entry may be a project and is not protected. */
export const PLACES = places(
  ...["", "home", "media", "mnt", "opt", "run", "srv", "Users", "Volumes"],
  ...["usr/local", "usr/local/bin", "usr/local/lib", "usr/local/sbin", "usr/local/share", "var/cache", "var/www"],
);

/** Paths inside of the trees that are meant for work or for temporary files. */
export const FREE = places(
  ...["dev/shm", "usr/local", "usr/src", "var/cache", "var/folders", "var/lib/apt/lists", "var/tmp", "var/www"],
);

/** Trees below a home. The rest of a home is for work. */
export const HOME_TREES = places(".aws", ".gnupg", ".kube", ".ssh");
export const HOME_PLACES = places(
  ...["", ".config", ".local", "Desktop", "Documents", "Downloads", "Library", "Pictures"],
);

/** Folders for temporary files. */
export const TEMPORARY = places("tmp", "var/tmp", "var/folders", "dev/shm");

/** Folders whose content programs fetch or build again. */
export const CACHES = places("var/cache", "var/lib/apt/lists", "Library/Caches");
export const HOME_CACHES = places(
  ...[".cache", ".npm", ".yarn", ".pnpm-store", ".gradle/caches", ".m2/repository", ".cargo/registry", ".cargo/git"],
  ...[".nuget/packages", ".local/share/Trash", "Library/Caches", "go/pkg/mod", ".bundle/cache", ".composer/cache"],
  ...[".bun/install/cache", ".node-gyp", ".electron", ".terraform.d/plugin-cache", ".pub-cache", ".ivy2/cache"],
);

function places(...paths: readonly string[]): readonly (readonly string[])[] {
  return paths.map((path) => (path === "" ? [] : path.split("/")));
}
