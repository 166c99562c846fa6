/** Describes what a shared turn needs from a computer. Pure. DW-28 */
import { table } from './table';

/** An idle computer polls the store every 15 s, so after a minute something is wrong. */
export const SILENT_AFTER_MS = 60_000;

/** Operating systems by Node's names. */
export const SYSTEM_NAMES = table<string>({
  linux: 'Linux',
  darwin: 'macOS',
  win32: 'Windows',
});

/** `label gpu` for `label:gpu`, for sentences. A need without a kind stays unchanged. */
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
