# One line for each compaction, and a protest that nobody has to heed.
IFS= read -r payload
field() {
  rest=${payload#*"\"$1\":\""}
  printf '%s' "${rest%%'"'*}"
}
echo "$(field session_id) $(field compaction_type) $(field trigger)" >>compactions.log
printf '%s' '{"attachment_type": "hook_blocking_error", "payload": {"message": "not again"}}'
