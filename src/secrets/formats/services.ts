import { hasBech32Checksum, isNoName, isSignedToken } from "../checks.ts";
import type { FormatRow } from "./format.ts";

/** Tokens of monitoring, analytics and other services, and formats of several issuers. */
export const SERVICES: readonly FormatRow[] = [
  ["a Grafana token", "glsa_", "{a30}_{h8=}"],
  ["a Grafana token", "glsa_ glc_", "{a4!}{b28}"],
  ["a Grafana key", "eyJrIjoi", "{b40}"],
  ["a Dynatrace token", "dt0c01. dt0s01. dt0s02. dt0s03. dt0s04. dt0s06. dt0s08. dt0s16.", "{a24=}.{a64}"],
  ["a New Relic key", "NRAK- NRJS- NRII- NRIQ- NRRA- NRSP-", "{w19}"],
  ["a Sentry token", "sntrys_ sntryu_ sntrya_ sntryi_", "{w32}"],
  ["a Rootly token", "rootly_", "{h32}"],
  ["a Honeycomb key", "hcaik_ hcxik_ hcamk_ hcxmk_ hcalk_ hcxlk_", "{l32}"],
  ["a Honeybadger token", "hbp_", "{a30}"],
  ["an Axiom token", "xaat- xapt-", "{U}"],
  ["an Elastic token", "essu_", "{a4!}{b36}"],
  ["a PostHog key", "phx_ phs_", "{a40}"],
  ["a LaunchDarkly key", "sdk- api- mob-", "{U}"],
  ["a GrowthBook key", "secret_admin_ secret_readonly_ secret_user_", "{a20}"],
  ["a Flagsmith key", "ser.", "{a20}", isNoName],
  ["a Beamer token", "b_", "{w44=}", isNoName],
  ["an Adafruit key", "aio_", "{a20}"],
  ["a Ubidots token", "BBFF- BBUS-", "{w20}"],
  ["an Intra 42 key", "s-s4t2ud- s-s4t2af- u-s4t2ud- u-s4t2af-", "{w32}"],
  ["a Mapbox token", "sk.eyJ tk.eyJ", "{p32}"],
  ["an Ionic token", "ion_", "{l42=}"],
  ["an Onfido token", "api_live. api_live_us. api_live_ca.", "{p20}"],
  ["a Confluent key", "cflt", "{a4!}{b46}"],
  ["an ImageKit key", "private_", "{b27}=", isNoName],
  ["a Statsig key", "secret-", "{a32}", isNoName],
  ["an age key", "AGE-SECRET-KEY-1", "{u58=}", hasBech32Checksum],
  ["a JSON Web Token", "eyJ", "{w10}.eyJ{w10}.{w10}", isSignedToken],
  ["an encrypted JSON Web Token", "eyJ", "{w10}.{w0}.{w10}.{w20}.{w10}", isSignedToken],
];
