import type { EventRow } from "../contract.ts";
import { autohandOnly, gate, NO_MODEL, observer } from "./kinds.ts";

/** Events of longer work: automatic modes, research, reviews, lessons, goals and teams. */

const watched = { ...autohandOnly, ...observer } as const satisfies EventRow;
const automode = {
  ...watched,
  subject: ["automode_prompt", "automode_cancel_reason", "automode_checkpoint_commit", "automode_iteration"],
} as const satisfies EventRow;
const research = {
  ...watched,
  subject: ["autoresearch_goal", "autoresearch_subcommand", "tool_name", "tool_input", "error"],
} as const satisfies EventRow;
const review = {
  ...watched,
  subject: ["review_path", "review_scope", "review_instructions", "review_error"],
} as const satisfies EventRow;

export const WORK_EVENTS = {
  AutomodeStart: automode,
  AutomodeIteration: automode,
  AutomodeCheckpoint: automode,
  AutomodePause: automode,
  AutomodeResume: automode,
  AutomodeCancel: automode,
  AutomodeComplete: automode,
  AutomodeError: automode,

  AutoresearchStart: research,
  AutoresearchPause: research,
  AutoresearchInit: research,
  AutoresearchBefore: research,
  AutoresearchRun: research,
  AutoresearchAfter: research,
  AutoresearchLog: research,
  AutoresearchDecision: research,
  AutoresearchReplay: research,
  AutoresearchRescore: research,
  AutoresearchPrune: research,
  AutoresearchComplete: research,
  AutoresearchError: research,

  ReviewStart: review,
  ReviewEnd: review,
  ReviewPaused: review,
  ReviewFailed: review,
  ReviewCompleted: review,

  // Exit code 2 stops the learning. After any other failure the agent goes on.
  BeforeLearn: {
    ...autohandOnly,
    ...gate,
    verdicts: ["block"],
    handlers: NO_MODEL,
    overrides: { autohand: { importedFailures: "continue" } },
  },
  AfterLearn: watched,
  GoalCompleted: { ...watched, subject: ["goal_objective", "goal_source"] },

  TeamCreated: { ...watched, subject: ["team_name"] },
  TeamShutdown: { ...watched, subject: ["team_name"] },
  TeammateSpawned: { ...watched, subject: ["team_name", "teammate_name", "teammate_agent_name"] },
  TaskAssigned: { ...watched, subject: ["task_id", "team_task_owner", "team_task_result"] },

  ModeChange: watched,
  RateLimited: watched,
  BeforeClear: watched,
  ContextOverflow: watched,
  ContextWarning: watched,
  ContextCritical: watched,
} as const satisfies Record<string, EventRow>;
