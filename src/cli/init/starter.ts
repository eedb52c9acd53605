/** The first configuration of a user: guards that are useful at once. */

/**
 * Returns a `hookbox.json`. `path-guard` asks, because a user may want the agent to write a `.env` file. With `monitor`, the guards only report what they would have denied.
 */
export function starterText(monitor: boolean): string {
  const guard = (name: string, more = ""): string =>
    `{ "type": "wasm", "module": "builtin:${name}"${more}${monitor ? ', "mode": "monitor"' : ""} }`;
  return `{
  "hooks": {
    "PreToolUse": [
      {
        "hooks": [
          ${guard("self-guard")},
          ${guard("shell-guard")},
          ${guard("path-guard", ', "config": { "ask": true }')},
          ${guard("secret-guard")}
        ]
      }
    ]
  }
}
`;
}
