// Formats of tokens that can be recognized, because the issuer gives them a prefix.

export interface Secret {
  readonly kind: string;
  readonly value: string;
  /** Number of characters that may be shown: a prefix that names the issuer. */
  readonly shown: number;
}

interface Format {
  readonly kind: string;
  /** Matches the token from its beginning. */
  readonly pattern: RegExp;
}

const BY_PREFIX = new Map<string, Format[]>();

/** The minimum length of all prefixes. Formats are looked up by this many characters. */
const KEY_LENGTH = 3;

/** Adds a format. The prefixes are literal texts; `rest` is the pattern of the following text. */
function format(kind: string, prefixes: string, rest: RegExp): void {
  for (const prefix of prefixes.split(" ")) {
    const pattern = new RegExp(`^${prefix.replace(/[.$+~]/g, "\\$&")}${rest.source}`);
    const key = prefix.slice(0, KEY_LENGTH);
    BY_PREFIX.set(key, [...(BY_PREFIX.get(key) ?? []), { kind, pattern }]);
  }
}

const HEX_32 = /[\da-f]{32}/;
const ALPHANUMERIC_20 = /[A-Za-z\d]{20}/;
const WORD_16 = /[\w-]{16}/;
const WORD_20 = /[\w-]{20}/;
const WORD_32 = /[\w-]{32}/;
const UUID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/;

// Cloud providers
format("an AWS access key", "AKIA ASIA ABIA ACCA AIDA AROA AGPA AIPA ANPA ANVA", /[A-Z\d]{16}/);
format("a Google API key", "AIza", /[\w-]{35}/);
format("a Google OAuth secret", "GOCSPX-", WORD_20);
format("a Google OAuth token", "ya29.", WORD_20);
format("an Alibaba access key", "LTAI", ALPHANUMERIC_20);
format("a DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", HEX_32);
format("a Heroku key", "HRKU-", WORD_20);
format("a Fly.io token", "fm2_ fo1_", WORD_32);
format("a Render key", "rnd_", ALPHANUMERIC_20);
format("a Vercel token", "vcp_ vci_ vca_ vcr_ vck_", ALPHANUMERIC_20);
format("a Supabase key", "sbp_ sb_secret_", WORD_20);
format("a Tailscale key", "tskey-", /[a-z]+-[\w-]{12}/);
format("a Scaleway key", "SCW", /[A-Z\d]{17}/);
format("an Akamai token", "akab-", WORD_16);
format("a Deno Deploy token", "ddp_ ddw_ ddo_", ALPHANUMERIC_20);
format("an OpenShift token", "sha256~", WORD_32);
format("a PlanetScale secret", "pscale_tkn_ pscale_pw_ pscale_oauth_", WORD_20);
format("a Databricks token", "dapi", HEX_32);
format("a Pulumi token", "pul-", HEX_32);
format("a HashiCorp Vault token", "hvs. hvb. hvr.", WORD_20);
format("a Doppler token", "dp.pt. dp.ct. dp.st. dp.sa. dp.scim. dp.audit.", /[\w.-]{32}/);
format("an Infracost token", "ico-", ALPHANUMERIC_20);
format("a Defined Networking token", "dnkey-", WORD_20);

// Code and packages
format("a GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", /[\w.-]{36}/);
format("a GitHub token", "github_pat_", /[A-Za-z\d]{22}_[A-Za-z\d]{59}/);
format(
  "a GitLab token",
  "glpat- gldt- glptt- glrt- glcbt- glft- glimt- glagent- gloas- glsoat- glffct- glrtr-",
  WORD_16,
);
format("a GitLab runner token", "GR1348941", WORD_20);
format("a Bitbucket or Atlassian token", "ATBB ATATT3 ATCTT3", WORD_20);
format("a Trello token", "ATTA", HEX_32);
format("a Linear key", "lin_api_ lin_oauth_", ALPHANUMERIC_20);
format("an npm token", "npm_", /[A-Za-z\d]{36}/);
format("a PyPI token", "pypi-", /[\w-]{50}/);
format("a RubyGems key", "rubygems_", HEX_32);
format("a Docker token", "dckr_pat_ dckr_oat_", WORD_20);
format("a JFrog key", "AKCp cmVmdGtu", WORD_32);
format("a Sonar token", "sqp_ squ_ sqa_", /[\da-f]{40}/);
format("a Sourcegraph token", "sgp_", /(?:[\da-f]{16}_|local_)?[\da-f]{40}/);
format("a CircleCI token", "CCIPAT_ CCIPRJ_", WORD_20);
format("a Buildkite token", "bkua_", ALPHANUMERIC_20);
format("a Snyk token", "snyk_uat. snyk_sat.", WORD_20);
format("an Endor Labs token", "endr+", /[\w-]{12}/);
format("a Postman key", "PMAK-", WORD_20);

// Models
format("an Anthropic key", "sk-ant-", WORD_20);
format("a key of OpenAI or another model provider", "sk-", WORD_32);
format("a Groq key", "gsk_", WORD_32);
format("a Perplexity key", "pplx-", WORD_32);
format("an xAI key", "xai-", WORD_32);
format("a Hugging Face token", "hf_ api_org_", /[A-Za-z\d]{30}/);
format("a Replicate token", "r8_", /[A-Za-z\d]{32}/);
format("an NVIDIA key", "nvapi-", WORD_32);
format("a LangSmith key", "lsv2_pt_ lsv2_sk_", WORD_32);
format("a Pinecone key", "pcsk_", WORD_32);
format("a Voiceflow key", "VF.", /(?:[A-Z]+\.)?[\da-f]{24}\.[A-Za-z\d]{16}/);

// Payment and shops
format("a Stripe key", "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_", /[A-Za-z\d]{16}/);
format("a Stripe webhook secret", "whsec_", /[A-Za-z\d+/]{32}/);
format("a Stripe client secret", "pi_ seti_", /[A-Za-z\d]{16,}_secret_[A-Za-z\d]{16}/);
format("a Square token", "sq0atp- sq0csp- EAAAE", WORD_20);
format("a Shopify token", "shpat_ shpca_ shppa_ shpss_", HEX_32);
format("a Plaid token", "access-production- access-development- access-sandbox-", UUID);
format("a Braintree token", "access_token$production$ access_token$sandbox$", /[\da-z]{16}\$[\da-f]{32}/);
format("an EasyPost key", "EZAK EZTK", /[A-Za-z\d]{54}/);
format("a Flutterwave key", "FLWSECK-", WORD_20);

// Messaging and mail
format("a Slack token", "xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xoxe.xoxb- xoxe.xoxp-", /[\w%-]{10}/);
format("a Slack app token", "xapp-", /\d-[\w-]{20}/);
format("a SendGrid key", "SG.", /[\w-]{16,}\.[\w-]{16}/);
format("a Mailgun key", "key-", HEX_32);
format("a Brevo key", "xkeysib- xsmtpsib-", HEX_32);
format("a Twilio key", "SK", HEX_32);
format("a PubNub key", "sub-c- sec-c-", /[\w-]{32}/);
format("a HubSpot token", "pat-na1- pat-eu1-", UUID);

// Monitoring
format("a Grafana token", "glsa_ glc_", WORD_32);
format("a Dynatrace token", "dt0c01. dt0s01. dt0s08. dt0s16.", /[A-Za-z\d]{24}\.[A-Za-z\d]{64}/);
format("a New Relic key", "NRAK- NRJS- NRII- NRIQ- NRRA-", /[\w-]{19}/);
format("a Sentry token", "sntrys_ sntryu_", WORD_32);

// Other services
format("a Nightfall key", "NF-", /[A-Za-z\d]{32}/);
format("a Rootly token", "rootly_", HEX_32);
format("a Ubidots token", "BBFF-", WORD_20);
format("a TruffleHog key", "thog-", /[a-z]+-[\da-f]{16}/);
format("a Ramp key", "ramp_id_ ramp_sec_", ALPHANUMERIC_20);
format("an Intra 42 key", "s-s4t2 u-s4t2", WORD_32);
format("a SettleMint token", "sm_pat_ sm_aat_ sm_sat_", WORD_16);
format("an Authress key", "sc_ ext_ scauth_ authress_", /[A-Za-z\d]{5,}\.[A-Za-z\d]{4,}\.acc_[\w-]{10,}\.[\w+/=-]{30}/);
format("an Alchemy key", "alcht_", ALPHANUMERIC_20);
format("a Figma token", "figd_", WORD_20);
format("a Notion token", "ntn_ secret_", /[A-Za-z\d]{40}/);
format("an Airtable token", "pat", /[A-Za-z\d]{14}\.[\da-f]{64}/);
format("a Contentful token", "CFPAT-", WORD_32);
format("an age key", "AGE-SECRET-KEY-1", /[AC-HJ-NP-Z02-9]{58}/);
format("a Harness token", "pat. sat.", /[\w-]{16,}\.[\da-f]{16,}\.[\w-]{16}/);
format("a Typeform token", "tfp_", WORD_32);
format("a WakaTime key", "waka_", UUID);
format("an Adafruit key", "aio_", ALPHANUMERIC_20);
format("a Mapbox token", "sk.eyJ", /[\w.-]{32}/);
format("a JSON Web Token", "eyJ", /[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10}/);

/** Example keys from the documentation of issuers, which give no access. */
const DOCUMENTED: ReadonlySet<string> = new Set(["AKIAIOSFODNN7EXAMPLE"]);

/** Returns the kind of token with which a text begins, or `undefined` if no format matches. */
export function kindOf(candidate: string): string | undefined {
  const formats = BY_PREFIX.get(candidate.slice(0, KEY_LENGTH));
  if (formats === undefined || DOCUMENTED.has(candidate)) return undefined;
  const kind = formats.find(({ pattern }) => pattern.test(candidate))?.kind;
  return kind === "a GitHub token" && !isChecked(candidate) ? undefined : kind;
}

/** Formats of tokens whose characteristic part is not at the beginning. */
const SHAPES: readonly Format[] = [
  { kind: "a Telegram bot token", pattern: /^\d{8,10}:AA[\w-]{32}/ },
  { kind: "an Asana token", pattern: /^\d{16}:[\da-f]{32}/ },
  { kind: "a Discord bot token", pattern: /^[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27}/ },
  { kind: "a Terraform token", pattern: /^[A-Za-z\d]{14}\.atlasv1\.[\w-]{60}/ },
  { kind: "an Azure client secret", pattern: /^[\w.~-]{3}\dQ~[\w.~-]{31}/ },
  { kind: "a Mailchimp key", pattern: /^[\da-f]{32}-us\d/ },
];

export function kindByShape(candidate: string): string | undefined {
  return SHAPES.find(({ pattern }) => pattern.test(candidate))?.kind;
}

/**
 * Whether a GitHub token has a valid checksum. Classic tokens end in a checksum of the rest. A token with a wrong
 * checksum was invented for a test or a manual.
 */
function isChecked(token: string): boolean {
  // Newer tokens are JSON Web Tokens with a prefix, without this checksum.
  if (!/^gh[a-z]_(?!eyJ)[A-Za-z\d]{36}/.test(token)) return true;
  let crc = -1;
  for (let i = 4; i < 34; i++) crc = (crc >>> 8) ^ (CRC_32[(crc ^ token.charCodeAt(i)) & 0xff] ?? 0);
  let rest = ~crc >>> 0;
  let checksum = "";
  while (checksum.length < 6) {
    checksum = BASE_62.charAt(rest % 62) + checksum;
    rest = Math.floor(rest / 62);
  }
  return token.startsWith(checksum, 34);
}

/** The table of CRC-32, computed once when the guard is built. */
const CRC_32 = Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  return crc;
});

const BASE_62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
