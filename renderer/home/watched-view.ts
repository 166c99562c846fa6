/** Which watched terminals Home shows, and their texts. Pure. */
import { t } from '../../shared/messages';
import type { WatchedTerminal } from '../../shared/types/terminals';
import { oneLine } from '../parts/inert-view';

/** More are in `holdfast watch list`; Home answers a question and is no list. */
const WATCHED_SHOWN = 4;

/** Those that no session has, the newest first. */
export function watchedShown(all: readonly WatchedTerminal[]): {
  readonly shown: readonly WatchedTerminal[];
  readonly more: number;
} {
  const free = all.filter((one) => one.session === undefined);
  return {
    shown: free.slice(0, WATCHED_SHOWN),
    more: Math.max(0, free.length - WATCHED_SHOWN),
  };
}

const callText = (call: WatchedTerminal['open'][number]): string =>
  oneLine(`${call.tool}: ${call.about}`, 100);

/** What had finished; undefined if nothing had. */
export function finishedText(one: WatchedTerminal): string | undefined {
  const last = one.finished.at(-1);
  return last === undefined
    ? undefined
    : t('home.watched.finished', { count: one.finishedCount, text: callText(last) });
}

/** Calls without an end: whether they happened is unknown. */
export const unknownTexts = (one: WatchedTerminal): readonly string[] =>
  one.open.map((call) => t('home.watched.unknown', { text: callText(call) }));
