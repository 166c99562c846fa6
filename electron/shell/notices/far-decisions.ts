/**
 * Notifies the user of what waits on other computers: once, by the same rules as for what waits
 * here. HO-02
 */
import { flatLine } from '../../../shared/unseen';
import { isUrgentCall } from '../../../shared/questions/is-urgent';
import { hideShapes } from '../../../shared/secrets/secret-shapes';
import type { FarAsk } from '../../../shared/types';
import type { Holdfast } from '../../engine/api/facade';
import type { SettingsPort } from '../../ports/settings';
import { approvalTitle, asUrgent } from './notices';
import type { Notice, NoticeOutcome } from './notification-policy';
import { say } from '../say';

/** Number of decisions remembered as notified; the oldest are forgotten first. */
const MAX_TOLD = 2_000;
const TITLE_CHARS = 160;

interface FarDecisionsDeps {
  readonly engine: Pick<Holdfast, 'call' | 'on' | 'status'>;
  readonly settings: Pick<SettingsPort, 'get'>;
  readonly notify: (notice: Notice) => Promise<NoticeOutcome>;
  readonly onFailed: (error: unknown) => void;
}

interface FarOpen {
  readonly key: string;
  readonly host: string;
  readonly ask: FarAsk;
}

/** Without anything that could reorder or break the text of a notification. */
const plain = (text: string): string => flatLine(text).slice(0, TITLE_CHARS);

const questionOf = (ask: FarAsk): string =>
  ask.kind === 'call'
    ? approvalTitle({ ...ask, kind: ask.wantsResult ? 'custom_tool' : 'approval' })
    : hideShapes(plain(ask.question), '…');

/** One notice for any number of decisions of one host. */
export function farNotice(
  name: string,
  asks: readonly FarAsk[],
  showDetails: boolean,
): Notice | undefined {
  const [first] = asks;
  if (first === undefined) return undefined;
  const count = asks.length;
  return {
    key: `far:${name}`,
    kind: 'decision',
    title:
      showDetails && count === 1
        ? say('notice.far.one', { name, text: questionOf(first) })
        : say('notice.far', { name, count }),
    body: say('notice.far.about', { name }),
    route: '/decisions',
    standsFor: count,
  };
}

/** Watches hosts for decisions. Makes no requests if no host is set. */
export function followFarDecisions({ engine, settings, notify, onFailed }: FarDecisionsDeps): {
  /** Notices for decisions that were held back and still wait; each once. */
  heldBack(): Promise<readonly Notice[]>;
} {
  let told: ReadonlySet<string> = new Set();
  let held: ReadonlySet<string> = new Set();
  const open = async (): Promise<readonly FarOpen[]> => {
    if (engine.status().hosts === undefined) return [];
    const { hosts } = await engine.call('hosts.inbox', {}, 'tray');
    return hosts.flatMap(({ name, waiting }) =>
      (waiting?.asks ?? []).map((ask) => ({ key: `${name} ${ask.requestHash}`, host: name, ask })),
    );
  };
  const isUrgent = ({ ask }: FarOpen): boolean =>
    ask.kind === 'call' && isUrgentCall(ask, settings.get('notifications.urgent'));
  const noticesOf = (some: readonly FarOpen[]): readonly Notice[] =>
    [...new Set(some.map(({ host }) => host))].flatMap((host) => {
      const asks = some.filter((one) => one.host === host).map(({ ask }) => ask);
      return farNotice(host, asks, settings.get('notifications.show_details')) ?? [];
    });
  const tell = async (some: readonly FarOpen[], change: (notice: Notice) => Notice | undefined) => {
    for (const notice of noticesOf(some)) {
      const outcome = await notify(change(notice) ?? notice);
      if (outcome.kind === 'suppressed' && outcome.reason === 'do_not_disturb')
        held = new Set([
          ...held,
          ...some.filter(({ host }) => notice.key === `far:${host}`).map(({ key }) => key),
        ]);
    }
  };
  const look = async (): Promise<void> => {
    const fresh = (await open()).filter(({ key }) => !told.has(key));
    told = new Set([...[...told].slice(-MAX_TOLD), ...fresh.map(({ key }) => key)]);
    await tell(fresh.filter(isUrgent), asUrgent);
    await tell(
      fresh.filter((one) => !isUrgent(one)),
      (notice) => notice,
    );
  };
  engine.on('hosts.changed', () => {
    look().catch(onFailed);
  });
  look().catch(onFailed);
  return {
    async heldBack() {
      const before = held;
      held = new Set();
      if (before.size === 0) return [];
      return noticesOf((await open()).filter(({ key }) => before.has(key)));
    },
  };
}
