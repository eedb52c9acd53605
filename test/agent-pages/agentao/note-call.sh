# The payload comes on standard input; what is printed goes back as an attachment.
cat >calls.json
printf '%s' '{"attachment_type": "hook_additional_context", "payload": {"content": "call noted"}}'
