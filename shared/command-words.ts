/** Words of a command as a shell would split them; quotes keep spaces. Nothing is expanded. */
export function commandWords(line: string): readonly string[] {
  const words = line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words.map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}

/** The line from which {@link commandWords} gives exactly these words. */
export function commandLine(words: readonly string[]): string {
  return words.map(quoted).join(' ');
}

function quoted(word: string): string {
  if (word !== '' && !/[\s"']/.test(word)) return word;
  // A word with both kinds of quotes is written in adjacent pieces.
  return word
    .split(/(')/)
    .filter((piece) => piece !== '')
    .map((piece) => (piece === "'" ? `"'"` : `'${piece}'`))
    .join('')
    .replace(/^$/, "''");
}
