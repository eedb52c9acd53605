const PLACEHOLDER = /(\\?)\$ARGUMENTS/g;

/**
 * Replaces each `$ARGUMENTS` of a prompt with the event. A prompt without `$ARGUMENTS` gets the event after a blank
 * line. `\$ARGUMENTS` becomes the word itself.
 */
export function fillArguments(prompt: string, eventJson: string): string {
  let names = false;
  // The replacement is a function, because the event could contain `$&`, which a replacement text would expand.
  const filled = prompt.replace(PLACEHOLDER, (_, backslash: string) => {
    if (backslash !== "") return "$ARGUMENTS";
    names = true;
    return eventJson;
  });
  return names ? filled : `${filled}\n\n${eventJson}`;
}
