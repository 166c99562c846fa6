/** An argument as it can be pasted into a POSIX shell: one word, and nothing of it is carried out. */
export function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
