#!/bin/sh
# The relay for systems without the native one: the same protocol, with curl. See relay.c for what it does and why.
# It cannot read the event from the payload safely, so the agent's entry names the event with --event.
#
# usage: relay.sh DIALECT --socket FILE --main FILE [--node FILE] [--path PATH] [--env NAME]... [options of hookbox run]

# bash takes functions from the environment, which a repository's settings can set.
unset -f cat curl cut date env find head id kill mkdir mktemp printf ps pwd read rm sed sleep stat tail tr true false umask wc '[' test cd echo
caller_path=$PATH
caller_umask=$(umask)
PATH=/usr/bin:/bin:/usr/local/bin:/opt/homebrew/bin
export PATH
umask 077
value='' dialect=$1 socket='' main='' node='' server_path=$PATH patience=60 event='' folder='' watcher=''

# Set below by "npm run refusals": how to refuse for each dialect and event.
how_to_refuse() {
  exit_code=2 stdout=''
  case "$dialect $event" in
# refusals-begin
    'hookbox PermissionDenied' | 'hookbox ToolApprovalDecision' | 'hookbox ToolResponseTransform' | 'hookbox PostToolUse' | 'hookbox PostToolUseFailure' | 'hookbox UserInput' | 'hookbox TurnStart' | 'hookbox TurnEnd' | 'hookbox AfterModelCall' | 'hookbox MaxIterations' | 'hookbox AgentError' | 'hookbox AgentSwitch' | 'hookbox Stop' | 'hookbox SubagentStop' | 'hookbox StopFailure' | 'hookbox SubagentStart' | 'hookbox MessageDisplay' | 'hookbox TaskCompleted' | 'hookbox TeammateIdle' | 'hookbox SessionStart' | 'hookbox Setup' | 'hookbox SessionResume' | 'hookbox SessionEnd' | 'hookbox InstructionsLoaded' | 'hookbox CwdChanged' | 'hookbox FileChanged' | 'hookbox DirectoryAdded' | 'hookbox Notification' | 'hookbox AfterCompaction' | 'hookbox PostCompact' | 'hookbox PostModelSwitch' | 'hookbox WorktreeRemove' | 'hookbox AutomodeStart' | 'hookbox AutomodeIteration' | 'hookbox AutomodeCheckpoint' | 'hookbox AutomodePause' | 'hookbox AutomodeResume' | 'hookbox AutomodeCancel' | 'hookbox AutomodeComplete' | 'hookbox AutomodeError' | 'hookbox AutoresearchStart' | 'hookbox AutoresearchPause' | 'hookbox AutoresearchInit' | 'hookbox AutoresearchBefore' | 'hookbox AutoresearchRun' | 'hookbox AutoresearchAfter' | 'hookbox AutoresearchLog' | 'hookbox AutoresearchDecision' | 'hookbox AutoresearchReplay' | 'hookbox AutoresearchRescore' | 'hookbox AutoresearchPrune' | 'hookbox AutoresearchComplete' | 'hookbox AutoresearchError' | 'hookbox ReviewStart' | 'hookbox ReviewEnd' | 'hookbox ReviewPaused' | 'hookbox ReviewFailed' | 'hookbox ReviewCompleted' | 'hookbox AfterLearn' | 'hookbox GoalCompleted' | 'hookbox TeamCreated' | 'hookbox TeamShutdown' | 'hookbox TeammateSpawned' | 'hookbox TaskAssigned' | 'hookbox ModeChange' | 'hookbox RateLimited' | 'hookbox BeforeClear' | 'hookbox ContextOverflow' | 'hookbox ContextWarning' | 'hookbox ContextCritical' | 'hookbox InboundClaim' | 'hookbox BeforeDispatch' | 'hookbox ReplyDispatch' | 'hookbox BeforeAgentReply' | 'hookbox MessageReceived' | 'hookbox MessageSent' | 'hookbox BeforeModelResolve' | 'hookbox BeforePromptBuild' | 'hookbox AgentTurnPrepare' | 'hookbox BeforeAgentStart' | 'hookbox HeartbeatPrompt' | 'hookbox ModelInput' | 'hookbox ModelCallStarted' | 'hookbox ModelCallEnded' | 'hookbox ToolResultPersist' | 'hookbox BeforeReset' | 'hookbox SubagentDeliveryTarget' | 'hookbox ResolveExecEnv' | 'hookbox SkillProposalEvaluate' | 'hookbox SkillChanged' | 'hookbox GatewayStart' | 'hookbox GatewayStop' | 'claude-code PermissionDenied' | 'claude-code PostToolUse' | 'claude-code PostToolUseFailure' | 'claude-code Stop' | 'claude-code SubagentStop' | 'claude-code StopFailure' | 'claude-code SubagentStart' | 'claude-code MessageDisplay' | 'claude-code TaskCompleted' | 'claude-code TeammateIdle' | 'claude-code SessionStart' | 'claude-code Setup' | 'claude-code SessionEnd' | 'claude-code InstructionsLoaded' | 'claude-code CwdChanged' | 'claude-code FileChanged' | 'claude-code DirectoryAdded' | 'claude-code Notification' | 'claude-code PostCompact' | 'claude-code PostModelSwitch' | 'claude-code WorktreeRemove' | 'docker-agent tool_response_transform' | 'docker-agent session_start' | 'docker-agent turn_start' | 'docker-agent turn_end' | 'docker-agent after_llm_call' | 'docker-agent session_end' | 'docker-agent after_compaction' | 'docker-agent subagent_stop' | 'docker-agent on_user_input' | 'docker-agent stop' | 'docker-agent notification' | 'docker-agent on_error' | 'docker-agent on_max_iterations' | 'docker-agent on_agent_switch' | 'docker-agent on_session_resume' | 'docker-agent on_tool_approval_decision' | 'agentao SessionStart' | 'agentao SessionEnd' | 'agentao PostToolUse' | 'agentao PostToolUseFailure' | 'agentao Stop' | 'agentao PreCompact' | 'autohand post-tool' | 'autohand file-modified' | 'autohand stop' | 'autohand post-response' | 'autohand session-start' | 'autohand session-end' | 'autohand session-error' | 'autohand subagent-stop' | 'autohand notification' | 'autohand rate-limit' | 'autohand pre-clear' | 'autohand automode:start' | 'autohand automode:iteration' | 'autohand automode:checkpoint' | 'autohand automode:pause' | 'autohand automode:resume' | 'autohand automode:cancel' | 'autohand automode:complete' | 'autohand automode:error' | 'autohand autoresearch:start' | 'autohand autoresearch:pause' | 'autohand autoresearch:init' | 'autohand autoresearch:before' | 'autohand autoresearch:run' | 'autohand autoresearch:after' | 'autohand autoresearch:log' | 'autohand autoresearch:decision' | 'autohand autoresearch:replay' | 'autohand autoresearch:rescore' | 'autohand autoresearch:prune' | 'autohand autoresearch:complete' | 'autohand autoresearch:error' | 'autohand post-learn' | 'autohand goal-written:completed' | 'autohand team-created' | 'autohand teammate-spawned' | 'autohand teammate-idle' | 'autohand task-assigned' | 'autohand task-completed' | 'autohand team-shutdown' | 'autohand review:start' | 'autohand review:end' | 'autohand review:paused' | 'autohand review:failed' | 'autohand review:completed' | 'autohand mode-change' | 'autohand context:compact' | 'autohand context:overflow' | 'autohand context:warning' | 'autohand context:critical' | 'openclaw before_model_resolve' | 'openclaw before_prompt_build' | 'openclaw agent_turn_prepare' | 'openclaw heartbeat_prompt_contribution' | 'openclaw before_agent_start' | 'openclaw before_agent_reply' | 'openclaw before_agent_finalize' | 'openclaw agent_end' | 'openclaw model_call_started' | 'openclaw model_call_ended' | 'openclaw llm_input' | 'openclaw llm_output' | 'openclaw after_tool_call' | 'openclaw tool_result_persist' | 'openclaw inbound_claim' | 'openclaw message_received' | 'openclaw message_sent' | 'openclaw before_dispatch' | 'openclaw reply_dispatch' | 'openclaw session_start' | 'openclaw session_end' | 'openclaw before_compaction' | 'openclaw after_compaction' | 'openclaw before_reset' | 'openclaw subagent_delivery_target' | 'openclaw subagent_spawned' | 'openclaw subagent_ended' | 'openclaw gateway_start' | 'openclaw gateway_stop' | 'openclaw resolve_exec_env' | 'openclaw skill_proposal_evaluate' | 'openclaw skill_changed' | 'patterns PermissionDenied' | 'patterns PostToolUse' | 'patterns PostToolUseFailure' | 'patterns Stop' | 'patterns SubagentStop' | 'patterns StopFailure' | 'patterns SubagentStart' | 'patterns MessageDisplay' | 'patterns TaskCompleted' | 'patterns TeammateIdle' | 'patterns SessionStart' | 'patterns Setup' | 'patterns SessionEnd' | 'patterns InstructionsLoaded' | 'patterns CwdChanged' | 'patterns FileChanged' | 'patterns DirectoryAdded' | 'patterns Notification' | 'patterns PostCompact' | 'patterns PostModelSwitch' | 'patterns WorktreeRemove') exit_code=1 stdout='' ;;
    'agentao UserPromptSubmit') exit_code=2 stdout='{"blockingError":"@reason@"}' ;;
    'agentao PreToolUse') exit_code=2 stdout='{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"@reason@"}}' ;;
    'openclaw before_agent_run') exit_code=2 stdout='{"outcome":"block","reason":"@reason@","message":"@reason@"}' ;;
    'openclaw before_tool_call' | 'openclaw before_install') exit_code=2 stdout='{"block":true,"blockReason":"@reason@"}' ;;
    'openclaw before_message_write') exit_code=2 stdout='{"block":true}' ;;
    'openclaw message_sending' | 'openclaw reply_payload_sending') exit_code=2 stdout='{"cancel":true}' ;;
    'openclaw subagent_spawning') exit_code=2 stdout='{"status":"error","error":"@reason@"}' ;;
    'auto '*) exit_code=2 stdout='{"blockingError":"@reason@","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"@reason@"},"block":true,"blockReason":"@reason@","cancel":true,"outcome":"block","reason":"@reason@","decision":"block"}' ;;
    'hookbox '* | 'claude-code '* | 'docker-agent '* | 'autohand '* | 'patterns '*) exit_code=2 stdout='' ;;
    'agentao '*) exit_code=2 stdout='{"blockingError":"@reason@","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"@reason@"}}' ;;
    'openclaw '*) exit_code=2 stdout='{"block":true,"blockReason":"@reason@","cancel":true,"outcome":"block","reason":"@reason@"}' ;;
# refusals-end
  esac
}

refuse() {
  if is_off; then
    echo "hookbox is switched off until $off_until, by \"hookbox disable\". No rule judged this event. To switch it on: hookbox enable" >&2
    clean_up
    exit 0
  fi
  how_to_refuse
  reason="hookbox could not judge this call, so the call is refused. No rule has refused it. $1: $2. Run: hookbox doctor"
  printf '%s\n' "$reason" >&2
  if [ -n "$stdout" ]; then
    while case $stdout in *@reason@*) true ;; *) false ;; esac do
      stdout=${stdout%%@reason@*}$reason${stdout#*@reason@}
    done
    printf '%s\n' "$stdout" || exit_code=2
  fi
  clean_up
  exit "$exit_code"
}

# Seconds since 1970 of a time such as 2026-01-31T23:59:59.000Z.
epoch() { date -u -d "${1%.*}Z" +%s 2>/dev/null || date -j -u -f %Y-%m-%dT%H:%M:%S "${1%.*}" +%s 2>/dev/null; }
member() { sed -n "s/^  \"$1\": \"\([-0-9:.TZ]*\)\",\{0,1\}\$/\1/p" "$record"; }

# Whether a file or folder of this kind belongs to the user and is closed to others.
is_private() {
  [ -n "$(find "$1" -prune -type "$2" -user "$(id -u)" ! -perm -g=r ! -perm -g=w ! -perm -g=x ! -perm -o=r ! -perm -o=w ! -perm -o=x)" ]
}

# Whether "hookbox disable" has switched hookbox off. The conditions are those of src/cli/off/off-now.ts.
is_off() {
  record=${socket%/*}/disabled.json
  [ -n "$socket" ] && [ -f "$record" ] && is_private "$record" f && is_private "${socket%/*}" d || return 1
  number=$(stat -c %d:%i "$record" 2>/dev/null || stat -f %d:%i "$record")
  [ "$(member inode)" = "$number" ] || return 1
  off_until=$(member until) since_s=$(epoch "$(member since)") until_s=$(epoch "$off_until") now=$(date +%s)
  [ -n "$since_s" ] && [ -n "$until_s" ] && [ $((until_s - since_s)) -ge 0 ] && [ $((until_s - since_s)) -le 86400 ] &&
    [ "$since_s" -le $((now + 60)) ] && [ "$until_s" -gt "$now" ]
}

clean_up() {
  if [ -n "$watcher" ]; then kill "$watcher"; fi
  if [ -n "$folder" ]; then rm -rf "$folder"; fi
}

# The dialect becomes a part of the URL.
case $dialect in '' | *[!a-z0-9-]*) refuse HOOK_CLI_USAGE 'a dialect has the characters a to z, 0 to 9 and -' ;; esac
folder=$(mktemp -d) || refuse HOOK_RELAY_SYSTEM 'no temporary folder can be created'
trap 'clean_up; exit 2' HUP INT TERM

# The context: texts that end with a NUL byte.
entry() { printf '%s\0' "$1$2" >>"$folder/body"; }
here=$(pwd -P) || refuse HOOK_RELAY_FOLDER 'the working directory does not exist any more'
entry cwd= "$here"
entry pid= "$$"
names=''
shift
while [ $# -gt 0 ]; do
  case $1 in
    --socket) socket=$2 && shift ;;
    --main) main=$2 && entry main= "$2" && shift ;;
    --node) node=$2 && shift ;;
    --path) server_path=$2 && shift ;;
    --env) names="$names $2" && shift ;;
    --event) event=$2 && entry arg= --event && entry arg= "$2" && shift ;;
    --patience) patience=$2 && entry arg= --patience && entry arg= "$2" && shift ;;
    *) entry arg= "$1" ;;
  esac
  shift
done
if [ -z "$socket" ] || [ -z "$main" ]; then refuse HOOK_CLI_USAGE 'usage: relay.sh DIALECT --socket FILE --main FILE [--node FILE]'; fi
for name in $names $(PATH=$caller_path /usr/bin/env | sed -n 's/^\(\(AGENTAO_\|AI_AGENT\|AUTOHAND_\|CLAUDE\|CODEX_\|COPILOT_\|CURSOR_\|DOCKER_AGENT_\|GEMINI_\|HOOKBOX_\|KIMI_\|LANG\|LC_\|OPENCLAW_\|QWEN_\|TZ\)[A-Za-z0-9_]*\)=.*/\1/p'); do
  case $name in *[!A-Za-z0-9_]* | [0-9]*) continue ;; esac
  eval "value=\${$name-}"
  entry "env=$name=" "$value"
done
context_bytes=$(wc -c <"$folder/body")

case $patience in
  *ms) seconds=$((${patience%ms} / 1000)) ;;
  *) seconds=${patience%s} && seconds=${seconds%%.*} ;;
esac
# A twentieth of the patience, at least a second, is for the way back.
margin=$((seconds / 20))
[ "$margin" -ge 1 ] || margin=1
left=$((seconds - margin))
# While hookbox is switched off, a server that does not answer must not cost the whole patience.
[ "$left" -le 3 ] || ! is_off || left=3
until=$(($(date +%s) + left))

cat >>"$folder/body" || refuse HOOK_RELAY_INPUT 'standard input cannot be read'
[ "$(wc -c <"$folder/body")" -le $((16777216 + context_bytes)) ] ||
  refuse HOOK_RELAY_INPUT "the agent's payload is longer than 16 MiB"

check_folder() {
  parent=${socket%/*}
  [ -d "$parent" ] || mkdir -m 700 "$parent" ||
    refuse HOOK_RELAY_SOCKET 'the folder of the socket does not exist, and cannot be created'
  is_private "$parent" d ||
    refuse HOOK_RELAY_SOCKET 'other users can enter the folder of the socket'
}

next_start=0
# Node starts the server in a session of its own, so that a signal to the agent's processes does not end it.
start_server() {
  if [ -z "$node" ]; then refuse HOOK_RELAY_NO_SERVER "no server answers, and the agent's entry names no Node"; fi
  now=$(date +%s)
  [ "$now" -ge "$next_start" ] || return 0
  next_start=$((now + 3))
  rm -f "$socket.log"
  (cd / && umask "$caller_umask" && exec env -i PATH="$server_path" LANG=C.UTF-8 "$node" -e '
    const how = { detached: true, stdio: ["ignore", "ignore", "inherit"] };
    const [, main, socket] = process.argv;
    require("child_process").spawn(process.execPath, [main, "serve", "--supervised", "--socket", socket, "--idle", "30m"], how);
    process.exit();' "$main" "$socket" </dev/null >/dev/null 2>"$socket.log" &)
}

# Prints the processes of this socket's server that a signal has stopped. A busy process runs or sleeps.
stopped_servers() {
  ps -A -ww -o pid= -o state= -o args= | while read -r process state line; do
    case "$state $line " in
      T*' serve '*" --socket $socket "*) case "$line " in *' --supervised '* | *' --listen-fd '*) echo "$process" ;; esac ;;
    esac
  done
}

# Kills a server that is stopped in three looks. The connection ends with the server, and the next attempt starts another.
watch_server() {
  looks=0
  while [ "$looks" -lt 3 ] && sleep 1; do
    stopped=$(stopped_servers)
    if [ -n "$stopped" ]; then looks=$((looks + 1)); else looks=0; fi
  done
  # shellcheck disable=SC2086
  kill -9 $stopped
}

check_folder
watch_server </dev/null >/dev/null 2>&1 &
watcher=$!
cuts=0
while :; do
  : >"$folder/head"
  left=$((until - $(date +%s)))
  [ "$left" -gt 0 ] || refuse HOOK_RELAY_SLOW 'the server did not answer in time'
  curl --silent --max-time "$left" --unix-socket "$socket" --proxy '' --dump-header "$folder/head" --output "$folder/reply" \
    --header 'Content-Type: application/vnd.hookbox.call' --header 'Expect:' --header "Hookbox-Context: $((context_bytes))" \
    --data-binary "@$folder/body" "http://hookbox/v1/hooks/$dialect"
  ended=$?
  case $ended in
    0) ;;
    7) start_server && sleep 0.1 && continue ;;
    # The server was killed before it answered.
    52 | 55 | 56) cuts=$((cuts + 1)) && [ "$cuts" -lt 3 ] && [ ! -s "$folder/head" ] && sleep 0.1 && continue
      refuse HOOK_RELAY_CUT_OFF "the server's answer ended too early" ;;
    28) refuse HOOK_RELAY_SLOW 'the server did not answer in time' ;;
    *) refuse HOOK_RELAY_CUT_OFF "the server's answer ended too early" ;;
  esac
  case $(head -n 1 "$folder/head") in *' 409'*) next_start=0 && sleep 0.1 && continue ;; esac
  break
done

reply=$(tr -d '\r' <"$folder/head" | sed -n 's/^[Hh]ookbox-[Rr]eply: //p')
case $reply in
  '1 '*) ;;
  [0-9]*) refuse HOOK_RELAY_VERSION 'the server speaks another version of the protocol' ;;
  *) refuse HOOK_RELAY_GARBAGE 'the answer is not that of a hookbox server' ;;
esac
# shellcheck disable=SC2086
set -- $reply
case "$2$3$4" in *[!0-9]* | '') refuse HOOK_RELAY_GARBAGE 'the answer has no valid sizes' ;; esac
[ "$(wc -c <"$folder/reply")" -eq $(($3 + $4)) ] || refuse HOOK_RELAY_CUT_OFF "the server's answer ended too early"
tail -c "$4" "$folder/reply" >&2
exit_code=$2
# A denial that could not be written is lost. Exit code 2 still refuses.
head -c "$3" "$folder/reply" || exit_code=2
clean_up
exit "$exit_code"
