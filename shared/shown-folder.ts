/** `~/project` for `/home/ada/project`: the display form of a folder in a question. Pure. */
export function shownFolder(folder: string, home: string): string {
  const root = home.replace(/[/\\]+$/, '');
  if (root === '') return folder;
  if (folder === root) return '~';
  const next = folder.charAt(root.length);
  return folder.startsWith(root) && (next === '/' || next === '\\')
    ? `~${folder.slice(root.length)}`
    : folder;
}

/** Longer folders lose their middle in questions. */
const SHORT_CHARS = 36;

/**
 * `/srv/…/tools/uploader`: the start of a folder and as many of its last parts as fit, so that a
 * question stays one line. The last part is always included, shortened in its middle if it is too
 * long. Pure.
 */
export function shortFolder(folder: string): string {
  if (folder.length <= SHORT_CHARS) return folder;
  const separator = folder.includes('/') ? '/' : '\\';
  const parts = folder.split(separator);
  const root = folder.startsWith(separator) ? `${separator}${parts[1] ?? ''}` : (parts[0] ?? '');
  const rest = parts.slice(folder.startsWith(separator) ? 2 : 1).filter((part) => part !== '');
  const head = `${root}${separator}…${separator}`;
  let tail = '';
  for (const part of rest.toReversed()) {
    const longer = tail === '' ? part : `${part}${separator}${tail}`;
    if (tail !== '' && head.length + longer.length > SHORT_CHARS) break;
    tail = longer;
  }
  const characters = Array.from(tail);
  const half = Math.floor(SHORT_CHARS / 2) - 2;
  return characters.length > SHORT_CHARS
    ? `…${separator}${characters.slice(0, half).join('')}…${characters.slice(-half).join('')}`
    : `${head}${tail}`;
}
