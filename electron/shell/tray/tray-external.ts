/** What the tray shows of external dependencies: facts for its line, rows for its menu. Pure. */
import type { StatusSnapshot } from '../../../shared/types';
import { spanText } from '../../../shared/durations';
import { providerTitle } from '../../../shared/provider-title';
import { outageRoute } from '../windows/links';
import { say } from '../say';
import type { TrayRow } from './tray-row';

type External = NonNullable<StatusSnapshot['outside']>['providers'][number];

/** If there are more providers than this, the others are only in the window. */
const MAX_PROVIDERS = 3;

/** One fact of the line, with a short form for when there is not enough space. */
export interface TrayFact {
  readonly text: string;
  readonly short?: string;
}

/** A turn that waits for a provider, as a row that opens it. */
export interface WaitingTitle {
  readonly provider: string;
  readonly title: string;
  readonly route: string;
}

/** Formats a moment for the user. */
type TimeText = (atMs: number) => string;

const isOut = ({ state }: External): boolean =>
  state === 'down' || state === 'trying' || state === 'recovering';

/** Turns that continue when a usage limit resets: when, and how many. LM-10 */
function limitFact(one: External, nowMs: number, time: TimeText): TrayFact | undefined {
  const { state, waiting, nextTryAtMs } = one;
  if (state !== 'quota' || waiting === 0 || nextTryAtMs === undefined) return undefined;
  const facts = { name: providerTitle(one.provider), count: waiting, time: time(nextTryAtMs) };
  return {
    text: say('tray.fact.limit', { ...facts, span: spanText(nextTryAtMs - nowMs) }),
    short: say('tray.fact.limitShort', facts),
  };
}

/** The providers with a row of their own in the menu. */
export const shownOutages = (snapshot: StatusSnapshot): readonly string[] =>
  worth(snapshot)
    .slice(0, MAX_PROVIDERS)
    .map(({ provider }) => provider);

/**
 * What is important enough for a line: providers that are down, and keys that the user has to
 * change.
 */
const worth = (snapshot: StatusSnapshot): readonly External[] =>
  (snapshot.outside?.providers ?? []).filter((one) => isOut(one) || one.state === 'key');

function factOf(one: External, time: TimeText): TrayFact {
  const name = providerTitle(one.provider);
  if (one.state === 'key') return { text: say('tray.fact.key', { name }) };
  if (one.state === 'recovering') return { text: say('tray.fact.back', { name }) };
  return one.downSinceMs === undefined
    ? { text: say('tray.fact.down', { name }) }
    : {
        text: say('tray.fact.downSince', { name, time: time(one.downSinceMs) }),
        short: say('tray.fact.down', { name }),
      };
}

/**
 * Which providers are down and how many turns wait for them, the worst first, because what an
 * outage blocks matters next. `waits` is that number, if turns wait.
 */
export function outsideFacts(
  snapshot: StatusSnapshot,
  waits: TrayFact | undefined,
  time: TimeText,
): readonly TrayFact[] {
  const dead = snapshot.delivery?.deadLetters ?? 0;
  const [worst, ...others] = worth(snapshot).map((one) => factOf(one, time));
  return [
    ...(worst === undefined ? [] : [worst, ...(waits === undefined ? [] : [waits])]),
    ...others,
    ...(snapshot.outside?.providers ?? []).flatMap(
      (one) => limitFact(one, snapshot.nowMs, time) ?? [],
    ),
    ...(snapshot.delivery?.broker === 'down'
      ? [{ text: say('tray.fact.broker'), short: say('tray.fact.brokerShort') }]
      : []),
    ...(dead > 0
      ? [
          {
            text: say('tray.fact.undelivered', { count: dead }),
            short: say('tray.count.undelivered', { count: dead }),
          },
        ]
      : []),
    ...(snapshot.delivery?.isNearlyFull === true
      ? [{ text: say('tray.fact.nearlyFull'), short: say('tray.fact.nearlyFullShort') }]
      : []),
  ];
}

/** One row for each provider that is down, with what the user can do about it. */
export function outageRows(
  snapshot: StatusSnapshot,
  time: TimeText,
  label: (text: string) => string,
  waiting: readonly WaitingTitle[] = [],
): readonly TrayRow[] {
  return worth(snapshot)
    .slice(0, MAX_PROVIDERS)
    .map((one): TrayRow => {
      const name = providerTitle(one.provider);
      const turns = waiting
        .filter(({ provider }) => provider === one.provider)
        .map(({ title, route }): TrayRow => ({
          kind: 'action',
          label: label(title),
          action: { kind: 'open', route },
          isEnabled: true,
        }));
      const show: readonly TrayRow[] = [
        ...(turns.length === 0 ? [] : [{ kind: 'separator' } as const, ...turns]),
        {
          kind: 'action',
          label:
            one.waiting === 0
              ? say('tray.outage.details')
              : one.waiting > turns.length && turns.length > 0
                ? say('tray.outage.showAll', { count: one.waiting })
                : say('tray.outage.show'),
          action: { kind: 'open', route: outageRoute(one.provider) },
          isEnabled: true,
        },
      ];
      if (one.state === 'key') {
        return {
          kind: 'submenu',
          label: label(say('tray.fact.key', { name })),
          rows: [
            {
              kind: 'action',
              label: say('tray.outage.changeKey'),
              action: { kind: 'settings', at: 'providers' },
              isEnabled: true,
            },
            ...show,
          ],
        };
      }
      const next =
        one.state === 'trying'
          ? say('tray.outage.checking')
          : one.state === 'recovering'
            ? say('tray.outage.back')
            : one.nextTryAtMs === undefined
              ? say('tray.outage.down')
              : say('tray.outage.next', { time: time(one.nextTryAtMs) });
      return {
        kind: 'submenu',
        label: label(say('tray.outage.rows', { name, text: next })),
        rows: [
          {
            kind: 'action',
            label: say('tray.outage.check'),
            action: { kind: 'probe', provider: one.provider },
            isEnabled: snapshot.phase === 'running' && one.state === 'down',
          },
          ...show,
        ],
      };
    });
}
