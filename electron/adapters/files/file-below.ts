import path from 'node:path';

/**
 * The path of a file below a folder; undefined for every other file. By its name alone: where links
 * lead is looked at when the file is read.
 */
export function fileBelow(folder: string, file: string): string | undefined {
  const way = path.relative(folder, path.resolve(folder, file));
  const isBelow = way !== '' && way.split(path.sep)[0] !== '..' && !path.isAbsolute(way);
  return isBelow ? way.split(path.sep).join('/') : undefined;
}
