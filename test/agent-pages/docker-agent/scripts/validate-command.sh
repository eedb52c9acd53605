#!/bin/bash
# scripts/validate-command.sh

# The event, as JSON
EVENT=$(cat)
TOOL=$(echo "$EVENT" | jq -r '.tool_name')
LINE=$(echo "$EVENT" | jq -r '.tool_input.cmd // empty')

# What the shop must not be left to
if [[ "$TOOL" == "shell" ]]; then
  if [[ "$LINE" =~ ^doas ]] || [[ "$LINE" =~ shred.*-u ]]; then
    echo '{"decision": "block", "reason": "Not on the shop machine"}'
    exit 2
  fi
fi

# Anything else is none of our business
echo '{}'
exit 0
