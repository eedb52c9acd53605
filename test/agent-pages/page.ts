/**
 * What an agent's own page on its hooks describes, section by section, and the tests that hold hookbox to it. Every
 * example of the page has one of ours here: of the same shape and mechanism, in our own words.
 */
export interface AgentPage {
  readonly agent: string;
  /** The page's title. */
  readonly title: string;
  readonly sections: readonly PageSection[];
}

export type PageSection = {
  readonly heading: string;
  /** What stands in the section: how many examples, scripts, tables, and of what. */
  readonly about: string;
} & (
  | {
      /** Titles of tests in `test/agent-pages` or `test/hosts`, or ids of conformance cases. */
      readonly tests: readonly [string, ...string[]];
    }
  | {
      /** Why no test belongs to it. */
      readonly why: string;
    }
);
