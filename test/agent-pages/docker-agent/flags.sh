# A note whenever a session opens
$ docker agent run agent.yaml --hook-session-start "./scripts/note.sh opened"

# Two at once
$ docker agent run agent.yaml \
  --hook-pre-tool-use "./scripts/validate-command.sh" \
  --hook-post-tool-use "./scripts/log-tool-call.sh"

# On an agent that comes from a registry
$ docker agent run agentcatalog/shopkeeper \
  --hook-pre-tool-use "./scripts/validate-command.sh"
