import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import { Search } from "../../src/secrets/find-secret.ts";
import { redactSecrets } from "../../src/secrets/redact.ts";

/** Texts with the value that has to leave them. The values are invented. */
const SECRETS: readonly (readonly [text: string, secret: string])[] = [
  // Variables and files of settings
  ["DB_PASSWORD=tr0ub4dor&3x", "tr0ub4dor&3x"],
  ["MYSQL_PASS='v3ry-l0ng-Pa55'", "v3ry-l0ng-Pa55"],
  ["export SMTP_PASS=hunter22hunter", "hunter22hunter"],
  ['password: "Sommer2024!"', "Sommer2024!"],
  ["password = qwe123RTY456", "qwe123RTY456"],
  ["db.password=qwe123RTY456", "qwe123RTY456"],
  ["spring.datasource.password=qwe123RTY456", "qwe123RTY456"],
  ['api_key = "9f8e7d6c5b4a39281706f5e4d3c2b1a0"', "9f8e7d6c5b4a39281706f5e4d3c2b1a0"],
  ["SECRET_KEY_BASE=4b825dc642cb6eb9a060e54bf8d69288fbee4904aa", "4b825dc642cb6eb9a060e54bf8d69288fbee4904aa"],
  ["JWT_KEY: 0aB1cD2eF3gH4iJ5kL6mN7oP8q", "0aB1cD2eF3gH4iJ5kL6mN7oP8q"],
  ["MASTER_KEY=0aB1cD2eF3gH4iJ5kL6mN7oP8q", "0aB1cD2eF3gH4iJ5kL6mN7oP8q"],
  ["write_key: 0aB1cD2eF3gH4iJ5kL6mN7oP8q", "0aB1cD2eF3gH4iJ5kL6mN7oP8q"],
  // Code
  ['const password: string = "qwe123RTY456";', "qwe123RTY456"],
  ['config["password"] = "qwe123RTY456"', "qwe123RTY456"],
  ['"client_secret" => "9f8e7d6c5b4a39281706"', "9f8e7d6c5b4a39281706"],
  ['token := "9f8e7d6c5b4a39281706"', "9f8e7d6c5b4a39281706"],
  ['{"accessToken":"9f8e7d6c5b4a39281706"}', "9f8e7d6c5b4a39281706"],
  ['"{\\"password\\": \\"qwe123RTY456\\"}"', "qwe123RTY456"],
  ["connect({password: 'qwe123RTY456'})", "qwe123RTY456"],
  // Names of issuers
  ["CODECOV_TOKEN=1b4e28ba-2fa1-11d2-883f-0016d3cca427", "1b4e28ba-2fa1-11d2-883f-0016d3cca427"],
  ["AIRTABLE_API_KEY=keyqwertzuiopasdf", "keyqwertzuiopasdf"],
  ["okta_api_token: 00Qw3Rt6Zu9Io2Pa5Sd8Fg1Hj4Kl7Yx0Cv3Bn", "00Qw3Rt6Zu9Io2Pa5Sd8Fg1Hj4Kl7Yx0Cv3Bn"],
  ["FASTLY_API_KEY=qwertzuiopasdfghjklyxcvbnmqwertz", "qwertzuiopasdfghjklyxcvbnmqwertz"],
  // Headers
  ["Authorization: Bearer 9f8e7d6c5b4a39281706", "9f8e7d6c5b4a39281706"],
  ["Authorization: Basic YWxpY2U6cXdlMTIzUlRZ", "YWxpY2U6cXdlMTIzUlRZ"],
  ["X-Api-Key: 9f8e7d6c5b4a39281706", "9f8e7d6c5b4a39281706"],
  ["Cookie: theme=dark; connect.sid=s%3A9f8e7d6c5b4a39281706f5e4", "s%3A9f8e7d6c5b4a39281706f5e4"],
  // Command lines
  ["curl -u alice:qwe123RTY456 https://host.test", "qwe123RTY456"],
  ["mysql -u root -pqwe123RTY456 shop", "qwe123RTY456"],
  ["sshpass -p 'qwe123RTY456' ssh host", "qwe123RTY456"],
  ["redis-cli -h db -a qwe123RTY456 ping", "qwe123RTY456"],
  ["docker login -u alice -p qwe123RTY456 host.test", "qwe123RTY456"],
  ["tool --password qwe123RTY456", "qwe123RTY456"],
  ["openssl enc -d -pass pass:qwe123RTY456 -in f", "qwe123RTY456"],
  ["PGPASSWORD=qwe123RTY456 psql", "qwe123RTY456"],
  // URLs and connections
  ["postgres://app:qwe123RTY456@db.host.test:5432/shop", "qwe123RTY456"],
  ["mongodb+srv://app:qwe123RTY456@cluster.host.test/shop", "qwe123RTY456"],
  ["redis://:qwe123RTY456@cache.host.test:6379", "qwe123RTY456"],
  ["amqps://app:qwe123RTY456@queue.host.test", "qwe123RTY456"],
  ["https://9f8e7d6c5b4a39281706f5e4@git.host.test/a/b.git", "9f8e7d6c5b4a39281706f5e4"],
  ["Server=db;Database=shop;User Id=sa;Password=qwe123RTY456;", "qwe123RTY456"],
  ["https://host.test/x?access_token=9f8e7d6c5b4a39281706&y=1", "9f8e7d6c5b4a39281706"],
  ["jdbc:postgresql://db.host.test/shop?user=app&password=qwe123RTY456", "qwe123RTY456"],
  ["postgres%3A%2F%2Fapp%3Aqwe123RTY456%40db.host.test", "qwe123RTY456"],
  // Files of passwords
  ["machine host.test login alice password qwe123RTY456", "qwe123RTY456"],
  ["db.host.test:5432:shop:alice:qwe123RTY456", "qwe123RTY456"],
  ["<server><password>qwe123RTY456</password></server>", "qwe123RTY456"],
  ["//npm.host.test/:_authToken=9f8e7d6c5b4a39281706", "9f8e7d6c5b4a39281706"],
  ["//npm.host.test/:_auth=YWxpY2U6cXdlMTIzUlRZ", "YWxpY2U6cXdlMTIzUlRZ"],
  ['{"auths":{"host.test":{"auth":"YWxpY2U6cXdlMTIzUlRZ"}}}', "YWxpY2U6cXdlMTIzUlRZ"],
  [
    "Access key ID,Secret access key\nAKIARZPUZDIKQTESTKEY,Qw3Rt6Zu9Io2Pa5Sd8Fg1Hj4Kl7Yx0Cv3Bn6Mq9W",
    "Qw3Rt6Zu9Io2Pa5Sd8Fg1Hj4Kl7Yx0Cv3Bn6Mq9W",
  ],
  [
    `client-key-data: ${Buffer.from("-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIabcdefghijkl").toString("base64")}`,
    Buffer.from("-----BEGIN EC PRIVATE KEY-----\nMHcC").toString("base64").slice(0, 40),
  ],
  [
    "PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 1\nAAABAQCyqwertzuiopasdfghjklyxcvbnm==\nPrivate-MAC: 1234",
    "AAABAQCyqwertzuiopasdfghjklyxcvbnm==",
  ],
];

/** Texts that people write every day, and that hold no secret. */
const HARMLESS: readonly string[] = [
  "password: ${DB_PASSWORD}",
  "password=<your password>",
  "API_KEY=your-api-key-here",
  "API_KEY=xxxxxxxxxxxxxxxxxxxxxxxx",
  'token = os.environ["GITHUB_TOKEN"]',
  "const token = process.env.GITHUB_TOKEN;",
  "token: ${{ secrets.GITHUB_TOKEN }}",
  "api_key: {{ .Values.apiKey }}",
  "password: string;",
  "password = getPassword(user)",
  "secret: mySecretFromTheStore",
  "if (password == null) return;",
  'throw new Error("invalid token: expected a number");',
  "curl -u $USER:$PASSWORD https://host.test",
  "curl -H 'Authorization: Bearer '$TOKEN https://host.test",
  "postgres://user:password@localhost:5432/db",
  "mongodb://<user>:<password>@host.test/db",
  "https://user@host.test/path",
  "https://renovate-bot-of-the-team@git.host.test/a.git",
  "git@github.com:owner/name.git",
  "commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  "id: 1b4e28ba-2fa1-11d2-883f-0016d3cca427",
  "session_id: 1b4e28ba-2fa1-11d2-883f-0016d3cca427",
  "sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  '"integrity": "sha512-Qw3Rt6Zu9Io2Pa5Sd8Fg1Hj4Kl7Yx0Cv3Bn6Mq9WeQw3Rt6Zu9Io2Pa5Sd8Fg1Hj4Kl7Yx0Cv3Bn6Mq9We=="',
  'etag: W/"33a64df551425fcc55e4d42a148795d9f25f89d4"',
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJqwertzuiopasdfghjklyxcvbnmqwertzuiopas alice@host",
  "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----",
  "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqh\n-----END CERTIFICATE-----",
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
  "max_tokens: 1000000000000000000",
  "nextPageToken: CAUQAAqwertzuiopasdf1234",
  "partition_key = customer_identifier_2024",
  '<input type="password" name="current-password">',
  "--password-stdin",
  "sk-fading-circle-with-twelve-dots-and-a-slow-animation",
  "pk_live_51Hqwertzuiopasdfghjklyxcvbnm",
  "key-value-store-with-a-very-long-name-of-its-own",
  "the AWS key AKIAIOSFODNN7EXAMPLE of the manual",
  "npm_config_registry=https://registry.host.test",
  "SENTRY_ENVIRONMENT=production-of-the-european-cluster",
  "datadog_api_url = https://api.datadoghq.eu/api/v1/series",
  "DATADOG_AGENT_VERSION=7.52.0-jmx-and-more-words",
  "stripe_access: read-and-write-everything",
  "github_token_permissions: contents-and-packages",
  "Cookie: theme=dark; lang=en",
  "cookie: the-name-of-a-cookie-that-is-a-sentence",
  "zip -r archive.zip folder && mysql -u root -p shop",
  "docker run -p 8080:80 nginx",
  "100% of %s and %d, 50%25 more",
  "\\u0041\\u0042 are letters",
];

describe("a secret in its context", () => {
  test.each(SECRETS)("in %j leaves the text", (text, secret) => {
    const clean = redactSecrets(text);
    expect([clean, clean.includes(secret), clean.includes("[redacted]")]).toEqual([clean, false, true]);
  });

  test("is all that leaves a connection string", () => {
    expect(redactSecrets("postgres://app:qwe123RTY456@db.host.test:5432/shop")).toBe(
      "postgres://app:[redacted]@db.host.test:5432/shop",
    );
  });

  test.each(HARMLESS)("is not seen in %j", (text) => {
    expect(new Search([]).find(text)).toBeUndefined();
  });
});
