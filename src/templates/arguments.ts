const PLACEHOLDER = /(\\?)\$ARGUMENTS/g;

/**
 * Replaces each `$ARGUMENTS` of a prompt with the event. A prompt without one gets the event after a blank line.
 * `\$ARGUMENTS` stays as the word itself.
 */
export function fillArguments(prompt: string, eventJson: string): string {
  let names = false;
  // A function, because in a replacement text the event could contain `$&` and similar patterns.
  const filled = prompt.replace(PLACEHOLDER, (_, backslash: string) => {
    if (backslash !== "") return "$ARGUMENTS";
    names = true;
    return eventJson;
  });
  return names ? filled : `${filled}\n\n${eventJson}`;
}
