#!/bin/sh
# Goes by parts of texts, which is all that a few lines of shell can do: it stops too much and lets too much pass.
refuse() {
  echo "BLOCKED: $1" >&2
  exit 2
}
text=$HOOK_ARGS
contains() {
  case "$text" in *"$1"*) refuse "$2" ;; esac
}
if [ "$HOOK_TOOL" = run_command ]; then
  contains 'rm -rf /' 'removes everything'
  contains 'rm -rf ~' 'removes a home'
  contains 'rm -rf .' 'removes the project'
  contains 'sudo rm' 'removes as root'
  contains 'chmod 777' 'opens files to all'
  contains 'chmod -R 777' 'opens files to all'
  contains '> /dev/sda' 'writes over a disk'
  contains 'mkfs' 'formats a disk'
  contains 'dd if=' 'copies over a disk'
  contains ':(){' 'a fork bomb'
  printf '%s' "$text" | grep -Eq '(curl|wget)[^|]*\|[[:space:]]*(ba)?sh' && refuse 'runs what it downloads'
  exit 0
fi
path=${HOOK_PATH##*/}
case "$path" in
  .env* | *.pem | *.key | *_rsa | id_rsa* | id_ed25519* | *.p12) refuse "$path holds secrets" ;;
  credentials.json | secrets.json | service-account*.json | .npmrc | .pypirc) refuse "$path holds secrets" ;;
esac
exit 0
