/**
 * Why a turn waits in the shared queue, and what a user can do about it, as far as the store knows.
 * Pure. DW-21, DW-28
 */
import { spanText } from '../../../shared/durations';
import { needText, SILENT_AFTER_MS } from '../../../shared/need-words';
import type { MachineRow } from '../../ports/shared-store';
import type { WaitingTurn } from './waiting-turns';

type Machine = Pick<MachineRow, 'name' | 'state' | 'contactAgoMs'>;

const listed = (needs: readonly string[]): string => needs.map(needText).join(', ');

/**
 * Start of the advice if a required computer cannot take anything now. Undefined if one of its name
 * is up, or none is known.
 */
function goneText(name: string, machines: readonly Machine[]): string | undefined {
  const same = machines.filter((machine) => machine.name === name);
  const admitted = same.filter(({ state }) => state === 'admitted');
  if (admitted.length === 0)
    return same.length === 0 ? undefined : `${name} no longer shares work:`;
  const agoMs = Math.min(...admitted.map(({ contactAgoMs }) => contactAgoMs ?? Infinity));
  if (agoMs <= SILENT_AFTER_MS) return undefined;
  return agoMs === Infinity
    ? `${name} has not connected yet: start Holdfast there, or`
    : `${name} has had no contact for ${spanText(agoMs)}: start Holdfast there, or`;
}

/** An earlier turn of the same session that only one computer can run and that is queued too. */
const pinnedBefore = (
  turn: WaitingTurn,
  waiting: readonly WaitingTurn[],
): WaitingTurn | undefined =>
  waiting.find(
    (one) =>
      one.id !== turn.id &&
      one.session === turn.session &&
      one.place !== '' &&
      one.waitsMs >= turn.waitsMs,
  );

function whyPinned(turn: WaitingTurn, machines: readonly Machine[]): string {
  const gone = goneText(turn.place, machines);
  const alone = `Only ${turn.place} may run it.`;
  return gone === undefined
    ? alone
    : `${alone} ${gone} let any computer run it with "holdfast share release ${turn.id}".`;
}

function whyBehind(
  turn: WaitingTurn,
  waiting: readonly WaitingTurn[],
  machines: readonly Machine[],
): string {
  const before = pinnedBefore(turn, waiting);
  if (before === undefined) return 'An earlier turn of its session has not ended.';
  const first = `Only ${before.place} may run an earlier turn of its session.`;
  const gone = goneText(before.place, machines);
  return gone === undefined
    ? first
    : `${first} ${gone} let any computer run the earlier turn with "holdfast share release ${before.id}".`;
}

/** The computer that has the turn's conversation: no other one can run the turn. DW-22 */
function whoseSession(
  { strangers = [], earlierNeeds = [], earlierPlaces = [] }: WaitingTurn,
  machines: readonly Machine[],
): string {
  if (strangers.length === 0) return '';
  const only =
    earlierPlaces.length > 0
      ? earlierPlaces.join(', ')
      : `computers with ${listed(earlierNeeds)}, and those that sent or ran them`;
  const gone = earlierPlaces.map((name) => goneText(name, machines));
  const help = gone.some((text) => text === undefined)
    ? ''
    : gone.map((text) => ` ${text ?? ''} send it in another session.`);
  return ` The earlier turns of its session are only for ${only}.${[help].flat().join('')}`;
}

/** One or two sentences for the user. */
export function whyWaiting(
  turn: WaitingTurn,
  waiting: readonly WaitingTurn[],
  machines: readonly Machine[],
): string {
  const { unmet, refusals, place, isBehind, needs } = turn;
  if (unmet.length > 0) return `No computer offers ${listed(unmet)}.`;
  if (refusals.length > 0)
    return refusals.map(({ machine, why }) => `${machine} cannot run it: ${why}`).join(' ');
  if (place !== '') return whyPinned(turn, machines);
  if (isBehind) return whyBehind(turn, waiting, machines);
  const which = needs.length === 0 ? 'free computer' : `computer with ${listed(needs)}`;
  return `It waits for a ${which}.${whoseSession(turn, machines)}`;
}
