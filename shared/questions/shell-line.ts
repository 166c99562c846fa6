/** The shell command in the input of a tool call, as agents write it: one text, or a list of words. */
import { quoted } from '../shell-quoted';

const SHELL = /(?:^|[\\/])(?:ba|z|da|k)?sh(?:\.exe)?$/;
const RUNS_TEXT = /^-[a-z]*c$/;

/**
 * The line that a shell would run: what `bash -lc` is given, or the words of a list, quoted. Undefined
 * for what is no command. Pure.
 */
export function shellLine(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const words: unknown[] = value;
  if (!words.every((word) => typeof word === 'string')) return undefined;
  const [program = '', option = '', line = ''] = words;
  if (words.length === 3 && SHELL.test(program) && RUNS_TEXT.test(option) && line.trim() !== '')
    return line;
  return words.map(quoted).join(' ');
}
