/**
 * Messages of one part of the catalogue, for code that must not load all of it: the tray exists
 * before the windows. Typed like `t`.
 */
import type { EN } from './en';
import { formatMessage, type MessageValues } from './format';
import type { Rest } from './sentence';

type Part = Readonly<Partial<typeof EN>>;

/** `t` for the keys of a part. */
export const sayFrom =
  <P extends Part>(part: P) =>
  <K extends keyof P & keyof typeof EN>(key: K, ...rest: Rest<K>): string =>
    formatMessage(part[key] ?? key, (rest[0] as MessageValues | undefined) ?? {});
