// What is protected on every machine. Configured paths come on top. These stay text, which lies in the module as it is:
// to make paths of them would cost each call more than all the rest.

/** Below the root. Protected with all that is in them. */
export const TREES: StaticArray<string> = [
  "bin",
  "boot",
  "dev",
  "etc",
  "lib",
  "lib32",
  "lib64",
  "proc",
  "sbin",
  "sys",
  "usr",
  "var",
  "Applications",
  "Library",
  "System",
];

/** Protected as a whole, and all their entries at once; one entry is somebody's project. */
export const PLACES: StaticArray<string> = [
  "",
  "home",
  "media",
  "mnt",
  "opt",
  "run",
  "srv",
  "Users",
  "Volumes",
  "usr/local",
  "usr/local/bin",
  "usr/local/lib",
  "usr/local/sbin",
  "usr/local/share",
  "var/cache",
  "var/www",
];

/** Inside of the trees, but made to be thrown away or to be worked in. */
export const FREE: StaticArray<string> = [
  "dev/shm",
  "usr/local",
  "usr/src",
  "var/cache",
  "var/folders",
  "var/lib/apt/lists",
  "var/tmp",
  "var/www",
];

/** Below a home. The rest of it is where people work. */
export const HOME_TREES: StaticArray<string> = [".aws", ".gnupg", ".kube", ".ssh"];
export const HOME_PLACES: StaticArray<string> = [
  "",
  ".config",
  ".local",
  "Desktop",
  "Documents",
  "Downloads",
  "Library",
  "Pictures",
];
