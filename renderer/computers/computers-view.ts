/** The Computers page's facts about each computer and each waiting turn. Pure. */
import { t } from '../../shared/messages';
import { needText, SILENT_AFTER_MS, SYSTEM_NAMES } from '../../shared/need-words';
import type { ComputerView, ShareStatus, WaitingView } from '../../shared/types/share';
import { oneLine } from '../parts/inert-view';
import type { Shown } from '../parts/state-view';
import { durationText } from '../parts/time-view';

/** Smaller clock differences do not matter to users. */
const SAME_CLOCK_MS = 2_000;

const nameOf = (name: string): string => oneLine(name, 64);
/** Seconds matter only within the first two minutes. */
const roundedText = (ms: number): string => {
  const unitMs = ms < 120_000 ? 1_000 : 60_000;
  return durationText(Math.max(1_000, Math.floor(ms / unitMs) * unitMs));
};

const isSilent = ({ state, contactAgoMs }: ComputerView): boolean =>
  state === 'admitted' && (contactAgoMs === undefined || contactAgoMs > SILENT_AFTER_MS);

export function computerState(computer: ComputerView): Shown {
  switch (computer.state) {
    case 'invited':
      return { tone: 'line', mark: 'clock', label: 'computers.state.invited' };
    case 'asking':
      return { tone: 'attention', mark: 'shield', label: 'computers.state.asking' };
    case 'revoked':
      return { tone: 'muted', mark: 'skip', label: 'computers.state.revoked' };
    case 'admitted':
      if (computer.isStopping)
        return { tone: 'waiting', mark: 'pause', label: 'computers.state.stopping' };
      return isSilent(computer)
        ? { tone: 'outage', mark: 'cross', label: 'computers.state.silent' }
        : { tone: 'ok', mark: 'check', label: 'computers.state.up' };
  }
}

/** Times from such a computer are misleading here. */
const FAR_CLOCK_MS = 30_000;
/** An old report about its clock may no longer be true. */
const isClockKnown = (computer: ComputerView): boolean =>
  computer.contactAgoMs !== undefined && !isSilent(computer);
export const isClockFar = (computer: ComputerView): boolean =>
  isClockKnown(computer) && Math.abs(computer.clockOffsetMs) >= FAR_CLOCK_MS;

/** Difference between its clock and the store's. Leases do not depend on it. */
export function clockOffsetText(computer: ComputerView): string {
  const { clockOffsetMs } = computer;
  if (!isClockKnown(computer)) return '–';
  if (Math.abs(clockOffsetMs) < SAME_CLOCK_MS) return t('computers.clock.same');
  const duration = roundedText(Math.abs(clockOffsetMs));
  return clockOffsetMs > 0
    ? t('computers.clock.ahead', { duration })
    : t('computers.clock.behind', { duration });
}

export function contactText({ contactAgoMs }: ComputerView): string {
  if (contactAgoMs === undefined) return t('computers.contact.never');
  return contactAgoMs < 1_000
    ? t('computers.contact.now')
    : t('computers.contact.ago', { duration: roundedText(contactAgoMs) });
}

/** Possible needs of turns, by kind, in the order that matters to users. */
const OFFERS: readonly (readonly [RegExp, (names: readonly string[]) => string])[] = [
  [/^(?:agent|acp):/, (names) => t('computers.offers.agents', { text: names.join(', ') })],
  [/^label:/, (names) => t('computers.offers.labels', { text: names.join(', ') })],
  [/^task:/, (names) => t('computers.offers.tasks', { text: names.join(', ') })],
  [/^provider:/, (names) => t('computers.offers.providers', { text: names.join(', ') })],
  // A name that is too long for the store is stored as a hash.
  [
    /^repository:/,
    (names) =>
      t('computers.offers.repositories', {
        text: names.map((name) => name.replace(/@(\w{8})\w{56}$/, '@$1…')).join(', '),
      }),
  ],
  [/^os:/, (names) => names.map((name) => SYSTEM_NAMES[name] ?? name).join(', ')],
];

export function offersText({ offers }: ComputerView): string {
  const said = OFFERS.flatMap(([kind, tell]) => {
    const names = offers.filter((one) => kind.test(one)).map((one) => one.replace(kind, ''));
    return names.length === 0 ? [] : [tell(names)];
  });
  const others = offers.filter((one) => !OFFERS.some(([kind]) => kind.test(one)));
  const all = [...said, ...others];
  return all.length === 0 ? t('computers.offers.none') : oneLine(all.join(' · '), 500);
}

/** Why one computer does not run a waiting turn; DW-28. */
function whyNotOn(computer: ComputerView, turn: WaitingView): string {
  const missing = turn.needs.filter((need) => !computer.offers.includes(need));
  if (computer.state === 'asking') return t('computers.why.asking');
  if (computer.state !== 'admitted') return t('computers.why.never');
  if (turn.place !== undefined && turn.place !== computer.name)
    return t('computers.why.place', { name: nameOf(turn.place) });
  if (missing.length > 0)
    return t('computers.why.needs', { text: oneLine(missing.map(needText).join(', '), 200) });
  if (turn.strangers?.includes(computer.name) === true) return t('computers.why.session');
  if (computer.isStopping) return t('computers.why.stopping');
  if (isSilent(computer))
    return computer.contactAgoMs === undefined
      ? t('computers.why.never')
      : t('computers.why.silent', { duration: roundedText(computer.contactAgoMs) });
  if (turn.isBehind === true) return t('computers.why.behind');
  const refusal = turn.refusals?.find((one) => one.computer === computer.name);
  return refusal === undefined
    ? t('computers.why.free')
    : t('computers.why.refused', { text: oneLine(refusal.why, 500) });
}

/** Every computer that may ever run it, this one first. */
export const whyRows = (
  computers: readonly ComputerView[],
  turn: WaitingView,
): readonly { readonly name: string; readonly isThis: boolean; readonly why: string }[] =>
  computers
    .filter(({ state }) => state !== 'revoked')
    .toSorted((a, b) => Number(b.isThis) - Number(a.isThis) || a.name.localeCompare(b.name))
    .map((computer) => ({
      name: nameOf(computer.name),
      isThis: computer.isThis,
      why: whyNotOn(computer, turn),
    }));

/** The first sentence of the page. */
export function computersHead(
  { state }: Pick<ShareStatus, 'state'>,
  computers: readonly ComputerView[] | undefined,
): string {
  switch (state) {
    case 'off':
      return t('nav.computers');
    case 'connecting':
      return t('computers.head.connecting');
    case 'asking':
      return t('computers.head.asking');
    case 'refused':
      return t('computers.head.refused');
    case 'halted':
      return t('computers.head.halted');
    case 'connected': {
      if (computers === undefined) return t('nav.computers');
      const count = computers.filter((one) => one.state === 'admitted').length;
      return count < 2 ? t('computers.head.alone') : t('computers.head', { count });
    }
  }
}

export const computersSub = ({ name, address }: ShareStatus): string =>
  t('computers.sub', { name: nameOf(name), text: oneLine(address, 300) });

/** The store is on this computer and not reachable from others. */
export const isReachedAlone = ({ listens }: Pick<ShareStatus, 'listens'>): boolean =>
  listens !== undefined && /^(?:127\.0\.0\.1|\[?::1\]?|localhost):\d+$/.test(listens);

export const waitedText = ({ waitsMs }: WaitingView): string =>
  t('computers.waiting.since', { duration: roundedText(waitsMs) });
