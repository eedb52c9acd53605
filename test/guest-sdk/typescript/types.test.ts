import { describe, expectTypeOf, test } from "vitest";
import {
  type Action,
  abstain,
  allow,
  ask,
  type CallContext,
  type Clock,
  context,
  defineGuard,
  deny,
  type EventName,
  type EventPayloads,
  type Files,
  type Guard,
  type Http,
  type HttpResponse,
  type Random,
  type Reply,
  respond,
  rewrite,
  type State,
} from "../../../guest-sdk/typescript/index.ts";
import type { Action as HostAction } from "../../../src/actions/action.ts";
import type { EVENTS, EventName as HostEventName } from "../../../src/events/table.ts";

/** Checked by the compiler; running them only shows that code which compiles does not throw. */

declare module "../../../guest-sdk/typescript/tool-inputs.ts" {
  interface ToolInputs {
    Deploy: { target: string };
  }
}

const head = { name: "typed", version: "1" } as const;

describe("events", () => {
  test("are those of the host's table", () => {
    expectTypeOf<EventName>().toEqualTypeOf<HostEventName>();
    expectTypeOf<keyof typeof EVENTS>().toEqualTypeOf<keyof EventPayloads>();
  });

  test("have the host's actions of a tool call", () => {
    expectTypeOf<Action>().toEqualTypeOf<HostAction>();
    expectTypeOf<EventPayloads["PostToolUse"]["actions"]>().toEqualTypeOf<readonly Action[]>();
  });

  test("have the payload of their name", () => {
    expectTypeOf<{ [Name in EventName]: EventPayloads[Name]["hook_event_name"] }>().toEqualTypeOf<{
      [Name in EventName]: Name;
    }>();
    defineGuard({
      ...head,
      events: ["UserPromptSubmit", "Stop"],
      handle(event) {
        // @ts-expect-error one of the two events has no prompt
        event.prompt;
        if (event.hook_event_name === "UserPromptSubmit") expectTypeOf(event.prompt).toEqualTypeOf<string>();
        else expectTypeOf(event.stop_hook_active).toEqualTypeOf<boolean>();
        // @ts-expect-error the guard has not declared this event
        if (event.hook_event_name === "PreToolUse") return;
        return undefined;
      },
    });
  });

  test("narrow the input by the tool's name", () => {
    defineGuard({
      ...head,
      events: ["PreToolUse", "PostToolUse"],
      handle(event) {
        switch (event.tool_name) {
          case "Bash":
            expectTypeOf(event.tool_input.command).toEqualTypeOf<string>();
            break;
          case "Deploy":
            expectTypeOf(event.tool_input).toEqualTypeOf<{ target: string }>();
            break;
          case "mcp__server__tool":
          case "run_shell_command":
            expectTypeOf(event.tool_input).toEqualTypeOf<Record<string, unknown>>();
            break;
        }
        if (event.tool_name === "Write" || event.tool_name === "Edit") {
          expectTypeOf(event.tool_input.file_path).toEqualTypeOf<string>();
          if (event.hook_event_name === "PostToolUse") expectTypeOf(event.tool_response).toEqualTypeOf<unknown>();
        }
        // @ts-expect-error an unknown tool: most likely misspelt
        if (event.tool_name === "bash") return;
        const name: string = event.tool_name;
        return name === "shell" ? deny("no") : undefined;
      },
    });
  });
});

describe("replies", () => {
  test("with a meaning at the event are accepted", () => {
    expectTypeOf(
      defineGuard({
        ...head,
        events: ["PreToolUse"],
        async handle(event) {
          if (event.cwd === "a") return deny("no", { systemMessage: "x", stop: "enough", context: "because" });
          if (event.cwd === "b") return ask("hm", { updatedInput: {} });
          if (event.cwd === "c") return allow();
          if (event.cwd === "d") return rewrite({ ...event.tool_input });
          if (event.cwd === "e") return context("x");
          if (event.cwd === "f") return null;
          return abstain();
        },
      }),
    ).toEqualTypeOf<Guard>();
    expectTypeOf(deny("x", { stop: "y" })).toEqualTypeOf<Reply<"deny", "stop">>();
    defineGuard({ ...head, events: ["PermissionDenied"], handle: () => respond({ retry: true }) });
    defineGuard({ ...head, events: ["Elicitation"], handle: () => respond({ action: "accept", content: { a: 1 } }) });
    defineGuard({ ...head, events: ["Stop"], handle: () => {} });
  });

  test("without a meaning at the event are refused", () => {
    // @ts-expect-error the user cannot be asked after a tool has run
    defineGuard({ ...head, events: ["PostToolUse"], handle: () => ask("no") });
    // @ts-expect-error a prompt is blocked or not; there is no permission to give
    defineGuard({ ...head, events: ["UserPromptSubmit"], handle: () => allow() });
    // @ts-expect-error a session that starts cannot be denied
    defineGuard({ ...head, events: ["SessionStart"], handle: () => deny("no") });
    // @ts-expect-error a prompt cannot be rewritten
    defineGuard({ ...head, events: ["UserPromptSubmit"], handle: async () => rewrite("x") });
    // @ts-expect-error another event's field
    defineGuard({ ...head, events: ["PreToolUse"], handle: () => deny("no", { retry: true }) });
    // @ts-expect-error no reply function has made this
    defineGuard({ ...head, events: ["PreToolUse"], handle: () => ({ decision: "deny" }) });
    // @ts-expect-error no reply function has made this
    defineGuard({ ...head, events: ["PreToolUse"], handle: () => "deny" });
  });

  test("with extras that are misspelt or of another type are refused at their place", () => {
    // @ts-expect-error misspelt, next to a correct one
    deny("no", { stop: "x", systemMesage: "x" });
    // @ts-expect-error a text
    deny("no", { systemMessage: 5 });
    // @ts-expect-error not an answer
    respond({ action: "maybe" });
  });
});

describe("the context", () => {
  test("has a config of the schema's type", () => {
    defineGuard({
      ...head,
      events: ["Stop"],
      config: {
        type: "object",
        required: ["must"],
        properties: {
          words: { type: "array", items: { type: "string" }, default: ["production"] },
          must: { type: "integer" },
          may: { type: "boolean" },
          mode: { enum: ["a", "b"], default: "a" },
          only: { const: 5, default: 5 },
          rules: {
            type: "array",
            default: [],
            items: {
              type: "object",
              properties: { on: { type: "boolean", default: true }, why: { type: "string" } },
            },
          },
          table: { type: "object", additionalProperties: { type: "number" }, default: {} },
          open: { type: "object", default: {} },
        },
      },
      handle(_event, { config }) {
        expectTypeOf(config).toEqualTypeOf<{
          readonly words: readonly string[];
          readonly must: number;
          readonly may?: boolean;
          readonly mode: "a" | "b";
          readonly only: 5;
          readonly rules: readonly { readonly on: boolean; readonly why?: string }[];
          readonly table: { readonly [name: string]: number };
          readonly open: { readonly [name: string]: unknown };
        }>();
        // @ts-expect-error not in the schema
        config.word;
      },
    });
  });

  test("has no config without a schema", () => {
    defineGuard({
      ...head,
      events: ["Stop"],
      handle(_event, { config }) {
        expectTypeOf(config).toEqualTypeOf<Record<never, never>>();
      },
    });
  });

  test("has a member for each grant that the guard wants, and no other", () => {
    defineGuard({
      ...head,
      events: ["Stop"],
      wants: ["state"],
      handle(_event, context) {
        expectTypeOf(context.state).toEqualTypeOf<State>();
        // @ts-expect-error not wanted
        context.http;
        // @ts-expect-error the name of the grant, not of the member
        context.paths;
      },
    });
    defineGuard({
      ...head,
      events: ["Stop"],
      wants: ["hosts", "paths", "clock", "random"],
      handle(_event, { http, files, clock, random, ...rest }) {
        expectTypeOf(http).toEqualTypeOf<Http>();
        expectTypeOf(files).toEqualTypeOf<Files>();
        expectTypeOf(clock).toEqualTypeOf<Clock>();
        expectTypeOf(random).toEqualTypeOf<Random>();
        expectTypeOf<keyof typeof rest>().toEqualTypeOf<"config" | "log">();
        // @ts-expect-error without a URL
        () => http.request({ method: "GET" });
        // @ts-expect-error a body is text
        () => http.request({ url: "https://a.example", body: { a: 1 } });
        expectTypeOf(http.request).returns.toEqualTypeOf<HttpResponse>();
        expectTypeOf<HttpResponse["json"]>().returns.toEqualTypeOf<unknown>();
        expectTypeOf(files.read).returns.toEqualTypeOf<string | undefined>();
        expectTypeOf(clock.now).returns.toEqualTypeOf<Date>();
      },
    });
    // The type of a helper's argument has a name.
    expectTypeOf<CallContext<{ type: "object" }, "hosts">["http"]>().toEqualTypeOf<Http>();
    defineGuard({
      ...head,
      events: ["Stop"],
      wants: [],
      handle(_event, context) {
        // @ts-expect-error not wanted
        context.state;
        context.log.debug("x", 5);
      },
    });
  });
});

test("an invalid definition is refused", () => {
  const wrong = [
    // @ts-expect-error there is no such event
    () => defineGuard({ ...head, events: ["PreTooluse"], handle: () => undefined }),
    // @ts-expect-error there is no such grant
    () => defineGuard({ ...head, events: ["Stop"], wants: ["wasi"], handle: () => undefined }),
    // @ts-expect-error no version
    () => defineGuard({ name: "x", events: ["Stop"], handle: () => undefined }),
  ];
  for (const define of wrong) expectTypeOf(define).returns.toEqualTypeOf<Guard>();
});
