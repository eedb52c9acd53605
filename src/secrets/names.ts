// Names of fields, variables and options whose values are secrets.

/** Patterns for names of secrets, by the last three letters of the name. */
const ENDINGS: ReadonlyMap<string, RegExp> = new Map([
  ["ord", /password$/],
  ["swd", /passwd$/],
  ["pwd", /pwd$/],
  ["ass", /(?:^|[^a-z]|db|user|admin|root|smtp|ssh)pass$/],
  ["_pw", /_pw$/],
  ["ase", /passphrase$|secret_?key_?base$/],
  ["ode", /passcode$/],
  ["ret", /secret$/],
  ["ken", /token$/],
  ["tok", /(?:^|_)tok$/],
  ["ial", /credential$/],
  ["als", /credentials$/],
  ["ion", /authorization$/],
  ["uth", /(?:^|[^a-z])auth$/],
  ["ata", /key[_-]?data$/],
  ["pat", /(?:^|[^a-z])pat$/],
]);
/** Names of values that mark a position in a list or select a row, and give no access. */
const HARMLESS_NAME =
  /(?:page|next|inuation|sync|delta|cursor|ellation|resume|mask|pad|eos|bos)[_-]?token$|partition[_-]?key$/;
/** The last three letters before `key` in names of secrets. */
const KEYS: ReadonlySet<string> = new Set([
  // The first list stands for api, access, account, auth, secret, private, sdk, signing, encryption, license.
  ...["api", "ess", "unt", "uth", "ret", "ate", "sdk", "ing", "ion", "nse"],
  // The second list stands for master, client, admin, app, server, storage, shared, jwt, service, write.
  ...["ter", "ent", "min", "app", "ver", "age", "red", "jwt", "ice", "ite"],
]);
const MAX_NAME = 24;

/** The last three letters of names whose values give access, if the name also holds an issuer. */
const PURPOSES = [
  "key",
  "ken",
  "ret",
  "ess",
  "uth",
  "api",
  "pat",
  "ial",
  "als",
  "ass",
  "pwd",
  "sid",
  "eys",
  "ens",
  "ets",
];
const LAST_THREE: ReadonlySet<string> = new Set([...ENDINGS.keys(), ...PURPOSES, "kie"]);
const LAST_LETTERS: ReadonlySet<number> = new Set([...LAST_THREE].map((letters) => letters.charCodeAt(2)));

/** Whether the name before a place in a text can be that of a secret: the first, cheap test. */
export function mayEndName(text: string, end: number): boolean {
  if (!LAST_LETTERS.has(text.charCodeAt(end - 1) | 0x20)) return false;
  return LAST_THREE.has(text.slice(end - 3, end).toLowerCase());
}

/** Returns the end of a name in lower case, as `isSecretName` expects. */
export function nameBefore(text: string, end: number): string {
  return text.slice(Math.max(0, end - MAX_NAME), end).toLowerCase();
}

/** Whether a name is that of a secret. `name` is the end of the name, in lower case. */
export function isSecretName(name: string): boolean {
  const ending = name.slice(-3);
  if (ending !== "key") return ENDINGS.get(ending)?.test(name) === true && !HARMLESS_NAME.test(name);
  const before = name.at(-4);
  const end = before === "_" || before === "-" ? -4 : -3;
  return KEYS.has(name.slice(end - 3, end)) && !HARMLESS_NAME.test(name);
}

/** Whether the value of a name may be short and a word with a digit, because people choose passwords. */
export function isPasswordName(name: string): boolean {
  return /(?:d|phrase|pass|pw|code)$/.test(name);
}

/** Words of names that say what a value is for. */
const PURPOSE = /(?:key|token|secret|access|auth|api|pat|credential|pass|pwd|sid)s?$/;

/** Issuers whose keys have no prefix, by the words that names of variables contain. */
const ISSUERS = new RegExp(
  [
    "adafruit|adobe|adyen|agora|ai21|airtable|akamai|algolia|alibaba|aliyun|amplitude|artifactory|asana|assembly_?ai",
    "atlassian|auth0|aws|azure|backblaze|beamer|binance|bitbucket|bitfinex|bittrex|bitly|box|braintree|browserstack",
    "bugsnag|buildkite|bunny|calendly|chargebee|circle_?ci|clerk|clever|cloudflare|cloudinary|codacy|codeclimate|codecov",
    "cohere|coinbase|coinmarketcap|confluent|contentful|contentstack|coveralls|customer_?io|datadog|dd_|deepgram|deepl",
    "deepseek|digital_?ocean|discord|docusign|doppler|drone|dropbox|duffel|elastic|etherscan|etsy|eventbrite|exa_|facebook",
    "fastly|finicity|finnhub|fireworks|fivetran|flickr|flutterwave|freemius|freshbooks|freshdesk|front_|gemini|giphy",
    "github|gitlab|gitter|gocardless|gong|google|grafana|groq|helpscout|heroku|hetzner|honeycomb|hubspot|ibm_?cloud|imgur",
    "infura|instagram|intercom|ipinfo|ipstack|jenkins|jfrog|jira|jumpcloud|kaggle|klaviyo|kraken|kucoin|lark|lastfm|line_",
    "launch_?darkly|linear|linkedin|linode|lob_|logdna|loggly|logz|lokalise|looker|mail_?chimp|mail_?gun|mailjet|mandrill",
    "mapbox|mattermost|meraki|messagebird|mistral|mixpanel|monday|moralis|mux_|nasdaq|netlify|newrelic|new_relic|nexmo|ngrok",
    "notion|npm|nuget|nylas|nytimes|okta|onelogin|openai|opsgenie|openweather|optimizely|ovh|pagerduty|papertrail|paypal",
    "paystack|percy|perplexity|pinecone|pinterest|pipedrive|plaid|planetscale|plivo|polygon|postmark|pubnub|pusher",
    "quickbooks|railway|rapid_?api|razorpay|recurly|reddit|redis|replicate|rollbar|salesforce|sauce|scaleway|segment",
    "sendbird|sendgrid|sendinblue|sentry|shippo|shodan|shopify|shortcut|sidekiq|signalfx|slack|smartsheet|snowflake|snyk",
    "sonar|sparkpost|splunk|spotify|square|squarespace|stability|statuspage|storyblok|strava|stripe|sumo|supabase",
    "telegram|tiktok|todoist|together|tomtom|travis|trello|tumblr|twilio|twitch|twitter|typeform|unsplash|uploadcare|vercel",
    "vimeo|virustotal|vultr|wakatime|webex|webflow|weatherapi|wepay|woocommerce|yandex|yelp|youtube|zendesk|zerotier|zoho|zoom",
  ].join("|"),
);

/** Whether a name holds an issuer and says that its value gives access. `name` is in lower case. */
export function isIssuersName(name: string): boolean {
  return PURPOSE.test(name) && ISSUERS.test(name);
}

/** The longest name of an issuer's key. */
export const MAX_ISSUERS_NAME = 48;
