/** The folder of an agent in texts that travel: it is another one on each computer. Pure. DW-18 */

/** Stands for it. */
const FOLDER = '{{workspace}}';

const inJson = (folder: string): string => JSON.stringify(folder).slice(1, -1);
const literal = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);

/** Where the folder stands, as a path of its own or as the start of one, it is not named. */
export function withoutFolder(text: string, folder: string): string {
  if (folder.length < 2) return text;
  const forms = [...new Set([inJson(folder), folder])].map(literal).join('|');
  return text.replaceAll(new RegExp(String.raw`(?:${forms})(?![\w-]|\.\w)`, 'g'), FOLDER);
}

/** `isJson`: the text is JSON, and stays it. */
export const withFolder = (text: string, folder: string, isJson = false): string =>
  text.replaceAll(FOLDER, () => (isJson ? inJson(folder) : folder));
