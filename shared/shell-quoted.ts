/** Quotes an argument for a POSIX shell: one word, and nothing in it is expanded or run. */
export function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
