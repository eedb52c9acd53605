import type { CaseFamily } from "../case.ts";
import { agentaoGates } from "./agentao-gates.ts";
import { agentaoRest } from "./agentao-rest.ts";
import { autohandReplies } from "./autohand-replies.ts";
import { autohandRunning } from "./autohand-running.ts";
import { aggregation } from "./claude-aggregation.ts";
import { aggregationMore } from "./claude-aggregation-more.ts";
import { commandResults } from "./claude-command-results.ts";
import { failures } from "./claude-failures.ts";
import { httpResults } from "./claude-http-results.ts";
import { claudeJudges } from "./claude-judges.ts";
import { matching } from "./claude-matching.ts";
import { matchingMore } from "./claude-matching-more.ts";
import { claudeMcpTools } from "./claude-mcp-tools.ts";
import { claudeModels } from "./claude-models.ts";
import { policy } from "./claude-policy.ts";
import { running } from "./claude-running.ts";
import { dockerAgents } from "./docker-agents.ts";
import { dockerBuiltins } from "./docker-builtins.ts";
import { dockerDuplicates } from "./docker-duplicates.ts";
import { dockerFailures } from "./docker-failures.ts";
import { dockerGuards } from "./docker-guards.ts";
import { dockerLanes } from "./docker-lanes.ts";
import { dockerModels } from "./docker-models.ts";
import { dockerOutput } from "./docker-output.ts";
import { dockerPipeline } from "./docker-pipeline.ts";
import { dockerPipelineFailures } from "./docker-pipeline-failures.ts";
import { dockerReplies } from "./docker-replies.ts";
import { dockerStrict } from "./docker-strict.ts";
import { openclawPlugins } from "./openclaw-plugins.ts";
import { ownDirectory } from "./own-directory.ts";
import { patternsAddresses } from "./patterns-addresses.ts";
import { patternsAggregation } from "./patterns-aggregation.ts";
import { patternsMatching } from "./patterns-matching.ts";
import { patternsOutcomes } from "./patterns-outcomes.ts";
import { patternsReplies } from "./patterns-replies.ts";
import { patternsRunning } from "./patterns-running.ts";
import { toolCall } from "./tool-call.ts";

export const FAMILIES: readonly CaseFamily[] = [
  commandResults,
  httpResults,
  aggregation,
  failures,
  claudeJudges,
  claudeModels,
  claudeMcpTools,
  matching,
  running,
  dockerReplies,
  dockerLanes,
  dockerAgents,
  dockerOutput,
  dockerFailures,
  dockerStrict,
  dockerGuards,
  dockerPipeline,
  dockerPipelineFailures,
  dockerDuplicates,
  dockerModels,
  dockerBuiltins,
  toolCall,
  ownDirectory,
  patternsMatching,
  patternsReplies,
  patternsOutcomes,
  patternsAggregation,
  patternsRunning,
  patternsAddresses,
  matchingMore,
  aggregationMore,
  policy,
  agentaoGates,
  agentaoRest,
  autohandRunning,
  autohandReplies,
  openclawPlugins,
];
