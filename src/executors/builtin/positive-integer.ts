/** Reads a whole number from 1 to `most`. Returns `undefined` for any other text. */
export function positiveInteger(text: string | undefined, most: number): number | undefined {
  if (text === undefined || !/^[0-9]{1,9}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= 1 && value <= most ? value : undefined;
}
