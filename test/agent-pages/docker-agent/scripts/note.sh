#!/bin/sh
cat > /dev/null
echo "$1" >> notes.txt
