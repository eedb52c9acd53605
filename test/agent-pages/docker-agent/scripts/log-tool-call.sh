#!/bin/bash
# scripts/log-tool-call.sh

EVENT=$(cat)
WHEN=$(date -u +"%Y-%m-%d %H:%M")
TOOL=$(echo "$EVENT" | jq -r '.tool_name')
SESSION=$(echo "$EVENT" | jq -r '.session_id')

# One line a call
echo "$WHEN $SESSION used $TOOL" >> ./calls.txt

# And on with it
echo '{"continue": true}'
exit 0
