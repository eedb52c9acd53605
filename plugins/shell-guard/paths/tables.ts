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

function places(...paths: readonly string[]): readonly (readonly string[])[] {
  return paths.map((path) => (path === "" ? [] : path.split("/")));
}
