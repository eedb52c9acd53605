/** Counts for `/metrics`, in the text format of Prometheus. */

type Labels = Readonly<Record<string, string>>;

/** Upper bounds in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export class Metrics {
  readonly #counters = new Map<string, number>();
  readonly #buckets = BUCKETS.map(() => 0);
  #seconds = 0;
  #calls = 0;

  /** Adds one. `help` documents the counter. */
  count(name: "calls" | "requests_refused", labels: Labels): void {
    const key = `hookbox_${name}_total{${Object.entries(labels)
      .map(([label, value]) => `${label}="${value}"`)
      .join(",")}}`;
    this.#counters.set(key, (this.#counters.get(key) ?? 0) + 1);
  }

  /** Refused requests by reason. */
  get refused(): Readonly<Record<string, number>> {
    const found = this.#lines("hookbox_requests_refused_total").map((line) => /why="(.*)"} (\d+)$/.exec(line) ?? []);
    return Object.fromEntries(found.map(([, why = "", count]) => [why, Number(count)]));
  }

  observe(seconds: number): void {
    this.#calls += 1;
    this.#seconds += seconds;
    for (const [index, bound] of BUCKETS.entries())
      if (seconds <= bound) this.#buckets[index] = (this.#buckets[index] ?? 0) + 1;
  }

  /** `gauges`: values of now. */
  text(gauges: Readonly<Record<string, number>>): string {
    const lines = [
      "# HELP hookbox_calls_total Calls of agents that were answered, by exit code of the reply.",
      "# TYPE hookbox_calls_total counter",
      ...this.#lines("hookbox_calls_total"),
      "# HELP hookbox_requests_refused_total Requests that were refused before a rule saw them.",
      "# TYPE hookbox_requests_refused_total counter",
      ...this.#lines("hookbox_requests_refused_total"),
      "# HELP hookbox_call_seconds Time from a call's arrival to its answer.",
      "# TYPE hookbox_call_seconds histogram",
      ...BUCKETS.map((bound, index) => `hookbox_call_seconds_bucket{le="${bound}"} ${this.#buckets[index]}`),
      `hookbox_call_seconds_bucket{le="+Inf"} ${this.#calls}`,
      `hookbox_call_seconds_sum ${this.#seconds}`,
      `hookbox_call_seconds_count ${this.#calls}`,
      ...Object.entries(gauges).flatMap(([name, value]) => [
        `# TYPE hookbox_${name} gauge`,
        `hookbox_${name} ${value}`,
      ]),
    ];
    return `${lines.join("\n")}\n`;
  }

  #lines(name: string): readonly string[] {
    return [...this.#counters].filter(([key]) => key.startsWith(`${name}{`)).map(([key, value]) => `${key} ${value}`);
  }
}
