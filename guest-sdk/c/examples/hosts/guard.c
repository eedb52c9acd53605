#include "hookbox.h"

static hb_reply judge(const hb_response *response) {
  if (response->status < 200 || response->status > 299) {
    return hb_deny(hb_join(HB("the policy server answered with status "), hb_decimal(response->status)));
  }
  const hb_json *policy = hb_parse(response->body);
  const hb_json *allow = hb_path(policy, "allow");
  if (allow->kind == HB_TRUE) return hb_abstain();
  if (allow->kind != HB_FALSE) return hb_deny(HB("the policy server's answer cannot be read"));
  hb_text reason = HB("it gives no reason");
  hb_as_text(hb_path(policy, "reason"), &reason);
  return hb_deny(hb_join(HB("the policy server says no: "), reason));
}

static hb_reply deploy_policy(const hb_json *event) {
  if (!hb_is(hb_path(event, "hook_event_name"), "PreToolUse")) return hb_abstain();
  if (!hb_is(hb_path(event, "tool_name"), "Bash")) return hb_abstain();
  hb_text command;
  if (!hb_as_text(hb_path(event, "tool_input", "command"), &command)) {
    return hb_deny(HB("tool_input.command is not a string"));
  }
  hb_text word = HB("deploy");
  hb_config_text("word", &word);
  if (!hb_contains(command, word)) return hb_abstain();

  hb_text url = HB("https://policy.example.com/deploys");
  hb_config_text("url", &url);
  hb_request request = hb_request_to(HB("POST"), url);
  hb_request_header(&request, HB("content-type"), HB("application/json"));
  request.body = hb_join(HB("{\"command\":"), hb_quoted(command), HB("}"));
  hb_response response;
  if (!hb_send(&request, &response)) return hb_deny(HB("the policy server does not answer"));
  return judge(&response);
}

HB_GUARD(deploy_policy)
