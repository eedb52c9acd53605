#!/bin/sh
echo '{"decision": "allow", "reason": "reading changes nothing"}'
