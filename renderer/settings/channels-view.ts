/** Texts of the list of channels. Pure. */
import type { ChannelView } from '../../shared/types/channels';
import { t } from '../../shared/messages';
import type { Look } from '../parts/state-view';
import { ageText, durationText } from '../parts/time-view';

interface ChannelLook extends Look {
  readonly state: string;
  /** Facts under its name, in display order. */
  readonly facts: readonly string[];
  /** The last failure and the next try, if it fails. */
  readonly trouble?: string;
  readonly canTest: boolean;
}

/** Bots: without a token they can neither send nor receive. */
const NEEDS_TOKEN: ReadonlySet<ChannelView['kind']> = new Set(['telegram', 'slack', 'discord']);

/** State, counts and the last failure of a channel, as text. S3-15. */
export function channelLook(view: ChannelView, nowMs: number): ChannelLook {
  const isKeyless =
    NEEDS_TOKEN.has(view.kind) && view.state === 'ready' && view.key?.present === false;
  const isFailing =
    !isKeyless && view.state === 'ready' && (view.breaker !== 'closed' || view.failures > 0);
  const state = isKeyless ? 'not_ready' : isFailing ? 'failing' : view.state;
  const isWell = state === 'ready';
  // Not an error, and a retry would not help.
  const trouble = isKeyless ? t('channels.noToken') : troubleOf(view, nowMs);
  return {
    mark: isWell ? 'check' : isFailing ? 'cross' : state === 'off' ? 'skip' : 'triangle',
    tone: isWell ? 'ok' : isFailing ? 'outage' : state === 'off' ? 'muted' : 'attention',
    state: t(`channels.state.${state}`),
    facts: [
      t(`channels.kind.${view.kind}`),
      ...(view.kind === 'window'
        ? [t('channels.shown')]
        : view.speaks
          ? [takenText(view, nowMs)]
          : [t('channels.listensOnly')]),
      ...(view.pending === 0 ? [] : [pendingText(view, nowMs)]),
      ...(NEEDS_TOKEN.has(view.kind) && view.listens ? [t('channels.hearsChats')] : []),
    ],
    ...(trouble === '' ? {} : { trouble }),
    canTest: view.speaks && view.state !== 'gone' && view.kind !== 'window',
  };
}

function takenText(view: ChannelView, nowMs: number): string {
  const taken = t('channels.delivered', { count: view.delivered });
  return view.deliveredAtMs === undefined
    ? taken
    : `${taken}, ${t('channels.deliveredLast', { age: ageText(view.deliveredAtMs, nowMs) })}`;
}

function pendingText(view: ChannelView, nowMs: number): string {
  const waits = t('channels.pending', { count: view.pending });
  return view.pendingSinceMs === undefined
    ? waits
    : `${waits} ${t('channels.pendingSince', { duration: durationText(Math.max(0, nowMs - view.pendingSinceMs)) })}`;
}

function troubleOf(view: ChannelView, nowMs: number): string {
  const next =
    view.nextTryAtMs === undefined || view.pending === 0
      ? undefined
      : t('channels.nextTry', {
          time: durationTo(view.nextTryAtMs, nowMs),
        });
  const error = view.lastError === undefined ? undefined : plainFault(view.lastError);
  return [error, view.listenProblem, error === undefined ? undefined : next]
    .filter((part) => part !== undefined)
    .join(' · ');
}

const durationTo = (atMs: number, nowMs: number): string =>
  atMs <= nowMs ? t('channels.now') : t('channels.in', { duration: durationText(atMs - nowMs) });

/** A readable text for the system's error about an unknown host; other errors unchanged. */
const plainFault = (said: string): string => {
  const [, host] = /^getaddrinfo (?:ENOTFOUND|EAI_AGAIN) (\S+)$/.exec(said) ?? [];
  return host === undefined ? said : t('channels.noSuchHost', { name: host });
};
