# Claude Code's way to say no.
echo "the vault is not for writing" >&2
exit 2
