import { isWords } from "./checks.ts";
import type { Secret } from "./secret.ts";

const WORK_PER_URL = 500;

/** Matches user, password, host and port. */
const AUTHORITY = /[^\s/"'`<>?#\\]{4,300}/y;
const TEMPLATE = /^\$\w|[${}%]\w*[{%]|\{\{|\}\}|^%\w+%$|^x+$|^\*+$|[<>[\]]|^\$\(/;
const USUAL =
  /^(?:pass(?:word)?|pw|pwd|secret|redacted|changeme|example|foo|bar|baz|abc|xyz|user|test|postgres|root|guest|admin|token|\.\.\.)$/i;
/** Matches a user name that is a token: `https://TOKEN@host`. */
const TOKEN_USER = /^(?=.*\d)[\w-]{20,200}$/;

/** Matches URLs at which anyone who knows the URL can post. */
const WEBHOOK =
  /(?:hooks\.slack\.com\/(?:services|workflows|triggers)\/[\w/]{20,}|discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/\d{17,19}\/[\w-]{60,}|webhook\.office\.com\/webhookb2\/[\w@/-]{30,}|hooks\.zapier\.com\/hooks\/catch\/\d+\/\w{5,}|maker\.ifttt\.com\/trigger\/\w+\/(?:json\/)?with\/key\/[\w-]{20,}|hook\.(?:eu\d?|us\d?)\.make\.com\/\w{20,}|open\.(?:feishu\.cn|larksuite\.com)\/open-apis\/bot\/v2\/hook\/[\w-]{30,}|oapi\.dingtalk\.com\/robot\/send\?access_token=\w{40,}|api\.telegram\.org\/bot\d{8,10}:[\w-]{30,})/y;
const WEBHOOK_HOST =
  /(?:^|\.)(?:hooks\.slack\.com|discord(?:app)?\.com|webhook\.office\.com|hooks\.zapier\.com|maker\.ifttt\.com|make\.com|feishu\.cn|larksuite\.com|dingtalk\.com)$/;

/** Returns the secret in the URL whose `://` is at a place in a text. */
export function secretOfUrl(text: string, at: number, spend: (work: number) => void): Secret | undefined {
  spend(WORK_PER_URL);
  AUTHORITY.lastIndex = at + 3;
  const authority = AUTHORITY.exec(text)?.[0];
  if (authority === undefined) return undefined;
  const end = authority.lastIndexOf("@");
  if (end > 0) {
    const value = secretOf(authority.slice(0, end));
    return value === undefined ? undefined : { kind: "a password in a URL", class: "password", value, shown: 0 };
  }
  if (!WEBHOOK_HOST.test(authority)) return undefined;
  WEBHOOK.lastIndex = at + 3 + Math.max(0, authority.search(/discord|webhook\.office/));
  const webhook = WEBHOOK.exec(text)?.[0];
  return webhook === undefined ? undefined : { kind: "the URL of a webhook", class: "token", value: webhook, shown: 0 };
}

/** Returns the password of `user:password`, or a user that is a token. */
function secretOf(user: string): string | undefined {
  const colon = user.indexOf(":");
  if (colon < 0) return TOKEN_USER.test(user) && !isWords(user) ? user : undefined;
  const password = user.slice(colon + 1);
  return password.length >= 3 && !TEMPLATE.test(password) && !USUAL.test(password) ? password : undefined;
}
