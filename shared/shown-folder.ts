/** `~/project` for `/home/ada/project`: how a folder is shown in a question. Pure. */
export function shownFolder(folder: string, home: string): string {
  const root = home.replace(/[/\\]+$/, '');
  if (root === '') return folder;
  if (folder === root) return '~';
  const next = folder.charAt(root.length);
  return folder.startsWith(root) && (next === '/' || next === '\\')
    ? `~${folder.slice(root.length)}`
    : folder;
}
