import type { Pack } from "../rules/category.ts";
import { CLOUD } from "./cloud.ts";
import { CONTAINERS } from "./containers.ts";
import { DATABASES } from "./databases.ts";
import { DISKS } from "./disks.ts";
import { FILES } from "./files.ts";
import { GIT } from "./git.ts";
import { INFRASTRUCTURE } from "./infrastructure.ts";
import { KUBERNETES } from "./kubernetes.ts";
import { NETWORK } from "./network.ts";
import { PACKAGES } from "./packages.ts";
import { PLATFORMS } from "./platforms.ts";
import { SECRETS } from "./secrets.ts";
import { SERVICES } from "./services.ts";
import { SYSTEM } from "./system.ts";
import { UNREADABLE } from "./unreadable.ts";

export const PACKS: Readonly<Record<string, Pack>> = {
  files: FILES,
  git: GIT,
  disks: DISKS,
  system: SYSTEM,
  network: NETWORK,
  secrets: SECRETS,
  containers: CONTAINERS,
  kubernetes: KUBERNETES,
  databases: DATABASES,
  cloud: CLOUD,
  infrastructure: INFRASTRUCTURE,
  platforms: PLATFORMS,
  packages: PACKAGES,
  services: SERVICES,
  reading: UNREADABLE,
};
