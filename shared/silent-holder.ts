import { quoted } from './shell-quoted';

/** What the user can do about a Holdfast that holds its data and does not respond. */
export const afterSilence = (dataDir: string, pid: number | undefined): string =>
  `Ask again in a moment.${
    pid === undefined ? '' : ` If it was suspended, resume it: kill -CONT ${String(pid)}.`
  } To replace it: holdfast start --headless --takeover --data-dir ${quoted(dataDir)}`;
