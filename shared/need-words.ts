/** What a shared turn needs of a computer, in words. Pure. DW-28 */
import { table } from './table';

/** An idle computer asks the store every 15 s: after a minute something is wrong. */
export const SILENT_AFTER_MS = 60_000;

/** Operating systems by the name that Node has for them. */
export const SYSTEM_NAMES = table<string>({
  linux: 'Linux',
  darwin: 'macOS',
  win32: 'Windows',
});

/** `label gpu` for `label:gpu`: as a sentence has it. What has no kind stays as it is. */
export function needText(need: string): string {
  const at = need.indexOf(':');
  if (at < 1) return need;
  const [kind, name] = [need.slice(0, at), need.slice(at + 1)];
  switch (kind) {
    case 'os':
      return SYSTEM_NAMES[name] ?? name;
    case 'acp':
      return `external agent ${name}`;
    default:
      return `${kind} ${name}`;
  }
}
