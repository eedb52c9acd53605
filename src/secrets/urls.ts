import type { Secret } from "./formats.ts";

const WORK_PER_URL = 500;

/** Matches user, password, host and port. */
const AUTHORITY = /[^\s/"'`<>?#\\]{4,300}/y;
const TEMPLATE = /^\$\w|[${}%]\w*[{%]|\{\{|\}\}|^%\w+%$|^x+$|^\*+$|[<>[\]]/;
const USUAL = /^(?:pass(?:word)?|pwd|secret|changeme|example|user|test|postgres|root|guest|admin|token)$/i;

/** Matches URLs at which anyone who knows the URL can post. */
const WEBHOOK =
  /(?:hooks\.slack\.com\/(?:services|workflows|triggers)\/[\w/]{20}|discord(?:app)?\.com\/api\/webhooks\/\d{17,19}\/[\w-]{60}|webhook\.office\.com\/webhookb2\/[\w@/-]{30})/y;
const WEBHOOK_HOST = /^(?:hooks\.slack\.com|(?:\w+\.)?discord(?:app)?\.com|[\w-]+\.webhook\.office\.com)$/;

export function* secretsInUrls(text: string, spend: (work: number) => void): Generator<Secret> {
  for (let at = text.indexOf("://"); at >= 0; at = text.indexOf("://", at + 3)) {
    spend(WORK_PER_URL);
    AUTHORITY.lastIndex = at + 3;
    const authority = AUTHORITY.exec(text)?.[0];
    if (authority === undefined) continue;
    const end = authority.lastIndexOf("@");
    if (end > 0) {
      const colon = authority.indexOf(":");
      const password = colon < 0 || colon > end ? "" : authority.slice(colon + 1, end);
      if (password.length >= 3 && !TEMPLATE.test(password) && !USUAL.test(password)) {
        yield { kind: "a password in a URL", value: password, shown: 0 };
      }
    } else if (WEBHOOK_HOST.test(authority)) {
      WEBHOOK.lastIndex = at + 3 + Math.max(0, authority.search(/discord|webhook\.office/));
      const webhook = WEBHOOK.exec(text)?.[0];
      if (webhook !== undefined) yield { kind: "the URL of a webhook", value: webhook, shown: 0 };
    }
  }
}
