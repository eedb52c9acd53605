/** The first configuration of a user: guards that are useful at once. */

/** Returns a `hookbox.json`. With `monitor`, the guards only report what they would have denied. */
export function starterText(monitor: boolean): string {
  const guard = (name: string): string =>
    `{ "type": "wasm", "module": "builtin:${name}"${monitor ? ', "mode": "monitor"' : ""} }`;
  return `{
  "hooks": {
    "PreToolUse": [
      {
        "hooks": [
          ${guard("self-guard")},
          ${guard("shell-guard")},
          ${guard("secret-guard")}
        ]
      }
    ]
  }
}
`;
}
