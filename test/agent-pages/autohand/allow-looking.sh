#!/bin/sh
# Looking at the tree is fine; about all else the user decides.
payload=$(cat)
case "$payload" in
  *'"tool_name":"run_command"'*) ;;
  *) echo '{"decision": "ask"}'; exit 0 ;;
esac
command=$(printf '%s' "$payload" | sed -n 's/.*"command":"\([^"]*\)".*/\1/p')
case "$command" in
  "ls" | "ls "* | "pwd") echo '{"decision": "allow", "reason": "it only looks"}' ;;
  *) echo '{"decision": "ask"}' ;;
esac
