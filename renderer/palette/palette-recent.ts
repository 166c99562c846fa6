/** What was taken from the palette last, the newest first: names of rows, on this computer. */
const KEY = 'holdfast.palette.recent';
const MAX_KEPT = 12;

export function readRecent(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(window.localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter((id) => typeof id === 'string') : [];
  } catch {
    return []; // written by another version
  }
}

/** A journal entry is not remembered, because the next search gives it another number. */
export function rememberRecent(id: string): void {
  if (id.startsWith('found.') || id.startsWith('number.')) return;
  const rest = readRecent().filter((one) => one !== id);
  window.localStorage.setItem(KEY, JSON.stringify([id, ...rest].slice(0, MAX_KEPT)));
}
