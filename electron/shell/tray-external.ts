/** What the tray shows of external dependencies: facts for its line, rows for its menu. Pure. */
import type { StatusSnapshot } from '../../shared/types';
import { providerTitle } from '../../shared/provider-title';
import { outageRoute } from './links';
import type { TrayRow } from './tray-row';

type External = NonNullable<StatusSnapshot['outside']>['providers'][number];

/** More than this many providers are in the window. */
const MAX_PROVIDERS = 3;

/** One fact of the line, and its short form for when space is lacking. */
export interface TrayFact {
  readonly text: string;
  readonly short?: string;
}

/** Formats a moment for the user. */
type TimeText = (atMs: number) => string;

const isOut = ({ state }: External): boolean =>
  state === 'down' || state === 'trying' || state === 'recovering';

/** What deserves a line: what is down, and a key that the user has to change. */
const worth = (snapshot: StatusSnapshot): readonly External[] =>
  (snapshot.outside?.providers ?? []).filter((one) => isOut(one) || one.state === 'key');

function factOf(one: External, time: TimeText): TrayFact {
  const name = providerTitle(one.provider);
  if (one.state === 'key') return { text: `${name} refused the key` };
  if (one.state === 'recovering') return { text: `${name} answers again` };
  return one.downSinceMs === undefined
    ? { text: `${name} down` }
    : { text: `${name} down since ${time(one.downSinceMs)}`, short: `${name} down` };
}

/**
 * What is down and how many turns wait for it, the worst first: the next question about an outage
 * is what it blocks. `waits` is that, if turns wait.
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
    ...(snapshot.delivery?.broker === 'down'
      ? [{ text: 'broker of events down', short: 'broker down' }]
      : []),
    ...(dead > 0
      ? [
          {
            text: `${String(dead)} ${dead === 1 ? 'event' : 'events'} undelivered`,
            short: `${String(dead)} undelivered`,
          },
        ]
      : []),
    ...(snapshot.delivery?.isNearlyFull === true
      ? [{ text: 'queue of events nearly full', short: 'queue nearly full' }]
      : []),
  ];
}

/** One row for each provider that is down, with what can be done about it. */
export function outageRows(
  snapshot: StatusSnapshot,
  time: TimeText,
  label: (text: string) => string,
): readonly TrayRow[] {
  return worth(snapshot)
    .slice(0, MAX_PROVIDERS)
    .map((one): TrayRow => {
      const name = providerTitle(one.provider);
      const show: TrayRow = {
        kind: 'action',
        label: 'Show what waits…',
        action: { kind: 'open', route: outageRoute(one.provider) },
        isEnabled: true,
      };
      if (one.state === 'key') {
        return {
          kind: 'submenu',
          label: label(`${name} refused the key`),
          rows: [
            {
              kind: 'action',
              label: 'Change the key…',
              action: { kind: 'settings' },
              isEnabled: true,
            },
            show,
          ],
        };
      }
      const next =
        one.state === 'trying'
          ? 'is tried now'
          : one.state === 'recovering'
            ? 'answers again'
            : one.nextTryAtMs === undefined
              ? 'down'
              : `next try ${time(one.nextTryAtMs)}`;
      return {
        kind: 'submenu',
        label: label(`Outage: ${name}, ${next}`),
        rows: [
          {
            kind: 'action',
            label: 'Probe now',
            action: { kind: 'probe', provider: one.provider },
            isEnabled: snapshot.phase === 'running' && one.state === 'down',
          },
          show,
        ],
      };
    });
}
