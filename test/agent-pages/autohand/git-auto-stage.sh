#!/bin/sh
# Not secrets, not leftovers, not what is built.
case "$(basename "$HOOK_PATH")" in
  .env* | *.log | *.tmp | *.swp | *.bak) exit 0 ;;
esac
case "/$HOOK_PATH/" in
  */node_modules/* | */.git/* | */dist/* | */build/* | */coverage/*) exit 0 ;;
esac
if [ "$HOOK_CHANGE_TYPE" = delete ]; then
  git rm -q --cached -- "$HOOK_PATH"
else
  git add -- "$HOOK_PATH"
fi
exit 0
