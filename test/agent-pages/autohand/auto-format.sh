#!/bin/sh
# The first formatter that is there; a file that is gone needs none.
[ "$HOOK_CHANGE_TYPE" = delete ] && exit 0
[ -f "$HOOK_PATH" ] || exit 0
if command -v prettier >/dev/null 2>&1; then
  prettier --write "$HOOK_PATH"
elif command -v eslint >/dev/null 2>&1 && printf '%s' "$HOOK_PATH" | grep -Eq '\.(ts|tsx|js|jsx)$'; then
  eslint --fix "$HOOK_PATH"
elif command -v biome >/dev/null 2>&1; then
  biome format --write "$HOOK_PATH"
fi
exit 0
