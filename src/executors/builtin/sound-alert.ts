import { existsSync } from "node:fs";
import type { Variables } from "../../processes/environment.ts";
import { type BuiltinHook, silent } from "./builtin.ts";

interface Player {
  readonly file: string;
  readonly args: readonly string[];
  /** The file that must exist for the program to play. */
  readonly sound?: string;
}

const CHIME = "/System/Library/Sounds/Glass.aiff";
const COMPLETE = "/usr/share/sounds/freedesktop/stereo/complete.oga";
const ALSA = "/usr/share/sounds/alsa/Front_Center.wav";

const ON_LINUX: readonly Player[] = [
  { file: "paplay", args: [COMPLETE], sound: COMPLETE },
  { file: "canberra-gtk-play", args: ["-i", "complete"] },
  { file: "aplay", args: ["-q", ALSA], sound: ALSA },
];

const PLAYERS: Readonly<Partial<Record<NodeJS.Platform, readonly Player[]>>> = {
  darwin: [{ file: "afplay", args: [CHIME], sound: CHIME }],
  linux: ON_LINUX,
  win32: [{ file: "powershell.exe", args: ["-NoProfile", "-NonInteractive", "-Command", "[console]::beep(880, 300)"] }],
};

/** Variables with which programs find the sound server. None of them is a secret. */
const NEEDED = ["XDG_RUNTIME_DIR", "PULSE_SERVER", "DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS"];

/** Plays a sound of the system, or rings the terminal's bell if no sound can be played. Never fails. */
export const soundAlert: BuiltinHook = {
  run: async ({ tools, env, stop }) => {
    const players = (PLAYERS[process.platform] ?? []).filter(({ sound }) => sound === undefined || existsSync(sound));
    for (const { file, args } of players) {
      const ending = await tools.run(file, args, { env: soundVariables(env) });
      if ((ending.by === "exit" && ending.code === 0) || stop.aborted) return silent();
    }
    if (process.stderr.isTTY !== true)
      return silent("no program that plays sounds was found, and there is no terminal to ring");
    process.stderr.write("\u0007");
    return silent();
  },
};

function soundVariables(env: Variables): Variables {
  return Object.fromEntries(NEEDED.map((name) => [name, env[name]]));
}
