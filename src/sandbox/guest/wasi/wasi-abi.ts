import type { HostFunction, ValueType } from "../host-functions.ts";

/** The functions of `wasi_snapshot_preview1` and their signatures. All functions need a grant of `wasi`. */

/**
 * Returns a signature. `params` has one letter for each parameter: `i` is i32, `l` is i64. All functions but
 * `proc_exit` return an error number.
 */
function wasi(params: string, results: readonly ValueType[] = ["i32"]): HostFunction {
  return { params: [...params].map((letter) => (letter === "l" ? "i64" : "i32")), results, capability: "wasi" };
}

export const WASI_FUNCTIONS = {
  args_get: wasi("ii"),
  args_sizes_get: wasi("ii"),
  environ_get: wasi("ii"),
  environ_sizes_get: wasi("ii"),
  clock_res_get: wasi("ii"),
  clock_time_get: wasi("ili"),
  fd_advise: wasi("illi"),
  fd_allocate: wasi("ill"),
  fd_close: wasi("i"),
  fd_datasync: wasi("i"),
  fd_fdstat_get: wasi("ii"),
  fd_fdstat_set_flags: wasi("ii"),
  fd_fdstat_set_rights: wasi("ill"),
  fd_filestat_get: wasi("ii"),
  fd_filestat_set_size: wasi("il"),
  fd_filestat_set_times: wasi("illi"),
  fd_pread: wasi("iiili"),
  fd_prestat_get: wasi("ii"),
  fd_prestat_dir_name: wasi("iii"),
  fd_pwrite: wasi("iiili"),
  fd_read: wasi("iiii"),
  fd_readdir: wasi("iiili"),
  fd_renumber: wasi("ii"),
  fd_seek: wasi("ilii"),
  fd_sync: wasi("i"),
  fd_tell: wasi("ii"),
  fd_write: wasi("iiii"),
  path_create_directory: wasi("iii"),
  path_filestat_get: wasi("iiiii"),
  path_filestat_set_times: wasi("iiiilli"),
  path_link: wasi("iiiiiii"),
  path_open: wasi("iiiiillii"),
  path_readlink: wasi("iiiiii"),
  path_remove_directory: wasi("iii"),
  path_rename: wasi("iiiiii"),
  path_symlink: wasi("iiiii"),
  path_unlink_file: wasi("iii"),
  poll_oneoff: wasi("iiii"),
  proc_exit: wasi("i", []),
  proc_raise: wasi("i"),
  sched_yield: wasi(""),
  random_get: wasi("ii"),
  sock_accept: wasi("iii"),
  sock_recv: wasi("iiiiii"),
  sock_send: wasi("iiiii"),
  sock_shutdown: wasi("ii"),
} as const satisfies Record<string, HostFunction>;

export type WasiFunctionName = keyof typeof WASI_FUNCTIONS;
