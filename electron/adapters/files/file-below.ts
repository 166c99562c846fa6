import path from 'node:path';

/**
 * The relative path of a file in a folder; undefined for every other file. Judged by names only:
 * links are checked when the file is read.
 */
export function fileBelow(folder: string, file: string): string | undefined {
  const way = path.relative(folder, path.resolve(folder, file));
  const isBelow = way !== '' && way.split(path.sep)[0] !== '..' && !path.isAbsolute(way);
  return isBelow ? way.split(path.sep).join('/') : undefined;
}
