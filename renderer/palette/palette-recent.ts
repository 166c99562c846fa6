/** The rows last chosen in the palette, newest first, remembered by name on this computer. */
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

/** Journal entries are not remembered, because their numbers change with each search. */
export function rememberRecent(id: string): void {
  if (id.startsWith('found.') || id.startsWith('number.')) return;
  const rest = readRecent().filter((one) => one !== id);
  window.localStorage.setItem(KEY, JSON.stringify([id, ...rest].slice(0, MAX_KEPT)));
}
