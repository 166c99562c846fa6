/** Quotes an argument for a POSIX shell: one word, with nothing in it expanded or run. */
export function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
