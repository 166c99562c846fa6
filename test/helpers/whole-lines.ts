import fs from 'node:fs';

/** The lines of a file that another program writes; one that it has not ended does not count yet. */
export const wholeLines = (file: string): string[] =>
  fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
