import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  visit,
  type YAMLMap,
} from "yaml";

/**
 * The values of a YAML document with merge keys (`<<`). A mapping also has the keys of the mappings that its merge key
 * names. The mapping's own keys override the merged keys.
 */
export class YamlValues {
  readonly #root: unknown;
  readonly #targets = new Map<Alias, Node>();
  readonly #maxMergedKeys: number;
  readonly #values = new Map<Node, unknown>();
  readonly #keys = new Map<YAMLMap, ReadonlyMap<string, Pair>>();
  /** The own pairs of each mapping by key, so that finding a key does not search all pairs. */
  readonly #written = new Map<YAMLMap, ReadonlyMap<string, Pair>>();
  #mergedKeys = 0;

  /** Throws {@link YamlProblem} for an alias that cannot be used. */
  constructor(document: Document, maxMergedKeys: number) {
    this.#root = document.contents;
    this.#maxMergedKeys = maxMergedKeys;
    // Collects all anchors in one pass, because `Alias.resolve` of yaml searches the whole document for each alias.
    const anchors = new Map<string, Node>();
    visit(document, {
      Node: (_, node, path) => {
        if (isAlias(node)) {
          const target = anchors.get(node.source);
          const offset = node.range?.[0] ?? 0;
          if (target === undefined) throw new YamlProblem(`the alias "${node.source}" has no anchor`, offset);
          if (path.includes(target)) throw new YamlProblem(`the alias "${node.source}" contains itself`, offset);
          this.#targets.set(node, target);
        } else if (isNode(node) && "anchor" in node && typeof node.anchor === "string") anchors.set(node.anchor, node);
      },
    });
  }

  /** Returns plain data. Aliases share their values, and merged keys are copied. Throws {@link YamlProblem}. */
  get value(): unknown {
    return this.#valueOf(this.#root);
  }

  /**
   * Returns the node of a value. For a part that an alias merges, returns the alias. For a path that does not exist,
   * returns `undefined`.
   */
  nodeAt(path: readonly (string | number)[]): Node | undefined {
    let node: unknown = this.#root;
    for (const part of path) {
      if (isMap(node)) node = this.#childOf(node, String(part));
      else if (isSeq(node)) node = node.items[Number(part)];
      else return undefined;
    }
    return isNode(node) ? node : undefined;
  }

  keyAt(path: readonly (string | number)[]): Node | undefined {
    const parent = this.nodeAt(path.slice(0, -1));
    const pair = isMap(parent) ? this.#writtenIn(parent).get(String(path.at(-1))) : undefined;
    return isScalar(pair?.key) ? pair.key : undefined;
  }

  #childOf(map: YAMLMap, key: string): unknown {
    const own = this.#writtenIn(map).get(key);
    if (own !== undefined && !isMergeKey(own.key)) return own.value;
    for (const { key: merge, value } of map.items.filter((pair) => isMergeKey(pair.key))) {
      for (const item of isSeq(value) ? value.items : [value]) {
        if (isMap(item) && this.#pairsOf(item).has(key)) return this.#childOf(item, key);
        if (
          isAlias(item) &&
          this.#sourcesOf({ key: merge, value: item } as Pair).some((one) => this.#pairsOf(one).has(key))
        )
          return item;
      }
    }
    return undefined;
  }

  #writtenIn(map: YAMLMap): ReadonlyMap<string, Pair> {
    let pairs = this.#written.get(map);
    if (pairs === undefined) {
      pairs = new Map(map.items.map((pair) => [keyText(pair.key), pair]));
      this.#written.set(map, pairs);
    }
    return pairs;
  }

  #valueOf(given: unknown): unknown {
    const node = this.#resolved(given);
    if (node === undefined) return null;
    if (isScalar(node)) return node.value;
    if (this.#values.has(node)) return this.#values.get(node);
    const value = isMap(node)
      ? // Safe for a key such as `__proto__`.
        Object.fromEntries([...this.#pairsOf(node)].map(([key, pair]) => [key, this.#valueOf(pair.value)]))
      : isSeq(node)
        ? node.items.map((item) => this.#valueOf(item))
        : null;
    this.#values.set(node, value);
    return value;
  }

  /** Returns the pairs of a mapping by key. The merged pairs replace the merge key. */
  #pairsOf(map: YAMLMap): ReadonlyMap<string, Pair> {
    const known = this.#keys.get(map);
    if (known !== undefined) return known;
    const pairs = new Map<string, Pair>();
    const own = new Set(map.items.map(({ key }) => keyText(key)));
    for (const pair of map.items) {
      if (!isMergeKey(pair.key)) pairs.set(keyText(pair.key), pair);
      else
        for (const source of this.#sourcesOf(pair)) {
          for (const [key, merged] of this.#pairsOf(source)) {
            this.#mergedKeys += 1;
            if (this.#mergedKeys > this.#maxMergedKeys)
              throw new YamlProblem("too many merged keys", offsetOf(pair), true);
            if (!own.has(key) && !pairs.has(key)) pairs.set(key, merged);
          }
        }
    }
    this.#keys.set(map, pairs);
    return pairs;
  }

  #sourcesOf(pair: Pair): readonly YAMLMap[] {
    const named = this.#resolved(pair.value);
    return (isSeq(named) ? named.items : [named]).map((item) => {
      const source = this.#resolved(item);
      if (isMap(source)) return source;
      throw new YamlProblem("a merge key (<<) takes a mapping, or a list of mappings", offsetOf(pair));
    });
  }

  #resolved(given: unknown): Node | undefined {
    if (isAlias(given)) return this.#targets.get(given);
    return isPair(given) ? undefined : ((given as Node | null) ?? undefined);
  }
}

export class YamlProblem extends Error {
  readonly offset: number;
  /** Whether the error is a limit: more keys are merged than a file may have values. */
  readonly isLimit: boolean;

  constructor(message: string, offset: number, isLimit = false) {
    super(message);
    this.offset = offset;
    this.isLimit = isLimit;
  }
}

/** Whether `key` is a merge key. A quoted `<<` is a normal key. */
function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.value === "<<" && key.type === "PLAIN";
}

function keyText(key: unknown): string {
  return isScalar(key) ? String(key.value) : "";
}

function offsetOf({ key }: Pair): number {
  return isScalar(key) ? (key.range?.[0] ?? 0) : 0;
}
