#!/bin/sh
# Two fields of what comes on stdin.
payload=$(cat)
field() { printf '%s' "$payload" | sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }
input=$(printf '%s' "$payload" | sed -n 's/.*"tool_input":\({[^}]*}\).*/\1/p')
printf '%s got %s\n' "$(field tool_name)" "$input" >> seen.txt
