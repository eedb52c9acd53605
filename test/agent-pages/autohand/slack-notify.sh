#!/bin/sh
# Without a place to send to there is nothing to say.
[ -n "$SLACK_WEBHOOK_URL" ] || exit 0
seconds=$(((${HOOK_DURATION:-0}) / 1000))
text="$(basename "$HOOK_WORKSPACE"): $((seconds / 60))m $((seconds % 60))s, ${HOOK_TOKENS:-0} tokens, ${HOOK_TOOL_CALLS_COUNT:-0} tools"
curl -s -X POST -H 'content-type: application/json' -d "{\"text\": \"$text\"}" "$SLACK_WEBHOOK_URL"
