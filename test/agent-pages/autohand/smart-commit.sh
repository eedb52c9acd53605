#!/bin/sh
# Started by an agent that it starts itself, it does nothing.
[ -z "$AUTOHAND_SMART_COMMIT_RUNNING" ] || exit 0
export AUTOHAND_SMART_COMMIT_RUNNING=1
[ -n "$(git status --porcelain)" ] || exit 0
npm run --silent lint || exit 0
npm run --silent test || exit 0
git add -A
message=$(autohand --prompt "a line on these changes")
git commit -q -m "${message:-work of a turn}"
