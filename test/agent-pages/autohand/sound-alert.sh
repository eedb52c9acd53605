#!/bin/sh
# The first player that this machine has.
for player in afplay paplay aplay speaker-test; do
  if command -v "$player" >/dev/null 2>&1; then
    case "$player" in
      afplay) "$player" /System/Library/Sounds/Ping.aiff ;;
      speaker-test) "$player" -t sine -l 1 ;;
      *) "$player" /usr/share/sounds/alert.wav ;;
    esac
    exit 0
  fi
done
exit 0
