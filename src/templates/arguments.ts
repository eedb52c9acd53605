const PLACEHOLDER = /(\\?)\$ARGUMENTS/g;

/**
 * A prompt with the event in the place of each `$ARGUMENTS`, or after a blank line where it names none. `\$ARGUMENTS` is
 * the word itself.
 */
export function fillArguments(prompt: string, eventJson: string): string {
  let names = false;
  // By a function: in a text, `$&` and its kin would be the event's to write.
  const filled = prompt.replace(PLACEHOLDER, (_, backslash: string) => {
    if (backslash !== "") return "$ARGUMENTS";
    names = true;
    return eventJson;
  });
  return names ? filled : `${filled}\n\n${eventJson}`;
}
