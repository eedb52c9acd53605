/**
 * What an agent's own page on its hooks describes, section by section, and the tests for it. Every example of the page
 * has one of ours here, with the same structure and mechanism, in our own words.
 */
export interface AgentPage {
  readonly agent: string;
  /** The page's title. */
  readonly title: string;
  readonly sections: readonly PageSection[];
}

export type PageSection = {
  readonly heading: string;
  /** The contents of the section: how many examples, scripts and tables, and of what. */
  readonly about: string;
} & (
  | {
      /** Titles of tests in `test/agent-pages` or `test/hosts`, or ids of conformance cases. */
      readonly tests: readonly [string, ...string[]];
    }
  | {
      /** Why the section has no test. */
      readonly why: string;
    }
);
