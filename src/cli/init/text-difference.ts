/** Shows what a change adds to a text and removes from it, with the lines around. */

const AROUND = 2;

/** Returns the lines of a change, each with "+", "-" or a space. Empty for equal texts. */
export function textDifference(before: string, after: string): readonly string[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  const kept = longestCommon(old, now);
  const all: string[] = [];
  let [at, to] = [0, 0];
  for (const [left, right] of [...kept, [old.length, now.length] as const]) {
    while (at < left) all.push(`- ${old[at++]}`);
    while (to < right) all.push(`+ ${now[to++]}`);
    if (left === old.length) break;
    all.push(`  ${old[at++]}`);
    to++;
  }
  const isNear = all.map((_, index) =>
    all.slice(Math.max(0, index - AROUND), index + AROUND + 1).some((line) => !line.startsWith(" ")),
  );
  return all.flatMap((line, index) => (isNear[index] ? [line] : isNear[index - 1] === true ? ["  …"] : []));
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);
}

/** Returns the positions of equal lines in both texts, in order. */
function longestCommon(old: readonly string[], now: readonly string[]): readonly (readonly [number, number])[] {
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (
    end < old.length - start &&
    end < now.length - start &&
    old[old.length - 1 - end] === now[now.length - 1 - end]
  )
    end++;
  const left = old.slice(start, old.length - end);
  const right = now.slice(start, now.length - end);
  const pairs: [number, number][] = Array.from({ length: start }, (_, index) => [index, index]);
  // The texts between are short unless the file was rewritten, and then no line has to be paired.
  if (left.length * right.length < 4_000_000)
    pairs.push(...commonOf(left, right).map(([a, b]) => [a + start, b + start] as [number, number]));
  for (let index = end; index > 0; index--) pairs.push([old.length - index, now.length - index]);
  return pairs;
}

function commonOf(left: readonly string[], right: readonly string[]): [number, number][] {
  const width = right.length + 1;
  const lengths = new Uint32Array((left.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = left.length - 1; row >= 0; row--)
    for (let column = right.length - 1; column >= 0; column--)
      lengths[row * width + column] =
        left[row] === right[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
  const pairs: [number, number][] = [];
  for (let [row, column] = [0, 0]; row < left.length && column < right.length; ) {
    if (left[row] === right[column]) pairs.push([row++, column++]);
    else if (at(row + 1, column) >= at(row, column + 1)) row++;
    else column++;
  }
  return pairs;
}
