/** Pending decisions on other computers, as the inbox lists them. Pure. HO-02 */
import { t } from '../../shared/messages';
import type { FarAsk, FarOutcome, HostInbox, HostView } from '../../shared/types';
import { toolOfAgent } from '../../shared/tool-words';
import { plainName } from '../../shared/tool-id';
import { approvalQuestion, plainTool } from '../decisions/approval-view';
import { oneLine } from '../parts/inert-view';
import { firstSentence } from '../parts/title-view';
import { foldedHosts } from './folded-hosts';
import { hostNotes } from './host-notes';

/** One row of the list. */
export interface FarEntry {
  /** Key in this list; another question about the same turn is another entry. */
  readonly key: string;
  readonly host: string;
  readonly ask: FarAsk;
}

/** One host: its pending decisions, or why they are unknown. */
export interface FarGroup {
  readonly host: string;
  readonly entries: readonly FarEntry[];
  /** Whether its pending decisions are known; otherwise no number is shown, and not 0. */
  readonly isKnown: boolean;
  /** It is one of many unreachable hosts, which share one line. */
  readonly isFolded: boolean;
  /** Additional notes, each a sentence or two. */
  readonly notes: readonly string[];
}

/**
 * Every configured host with its known facts: none is left out because nothing is known. Those with
 * pending decisions come first.
 */
export const farGroups = (
  hosts: readonly HostView[] = [],
  inboxes: readonly HostInbox[] = [],
): readonly FarGroup[] => {
  const folded = foldedHosts(hosts);
  const groups = hosts.map((host): FarGroup => {
    const { name } = host;
    const inbox = inboxes.find((one) => one.name === name);
    const told = host.kind === 'connected' ? inbox?.waiting?.asks : undefined;
    const asks = told ?? [];
    return {
      host: name,
      entries: asks.map((ask) => ({ key: keyOf(name, ask), host: name, ask })),
      isKnown: told !== undefined,
      isFolded: folded.has(name),
      notes: notesOf(host, inbox),
    };
  });
  return groups.toSorted((one, other) => Number(hasEntries(other)) - Number(hasEntries(one)));
};
const hasEntries = ({ entries }: FarGroup): boolean => entries.length > 0;

const keyOf = (host: string, ask: FarAsk): string =>
  `${host} ${ask.kind} ${String(ask.kind === 'call' ? ask.requestId : ask.turnId)} ${ask.requestHash}`;

function notesOf(host: HostView, inbox: HostInbox | undefined): readonly string[] {
  const { name } = host;
  const told = hostNotes(host);
  if (host.kind !== 'connected') return [...told, t('inbox.far.unknown')];
  if (inbox?.tells === false) return [...told, t('inbox.far.untold', { name })];
  if (inbox?.waiting === undefined) return [...told, t('inbox.far.asking', { name })];
  const { asks, hidden, others } = inbox.waiting;
  const more = hidden + others;
  if (more > 0) return [...told, t('inbox.far.more', { count: more, name })];
  return asks.length > 0 || told.length > 0 ? told : [t('inbox.far.none')];
}

/** The shown entry: the requested one, otherwise the first if nothing local is pending. */
export function pickFar(
  groups: readonly FarGroup[],
  key: string | undefined,
  isFirstShown: boolean,
): FarEntry | undefined {
  const all = groups.flatMap(({ entries }) => entries);
  if (key !== undefined) return all.find((entry) => entry.key === key);
  return isFirstShown ? all[0] : undefined;
}

/** The question of an entry, on one line. */
export function farTitle(ask: FarAsk): string {
  return ask.kind === 'call'
    ? approvalQuestion({ ...ask, kind: ask.wantsResult ? 'custom_tool' : 'approval' })
    : oneLine(ask.question, 300);
}

/** The outcome of an answer: it counted, it did not, or neither is known. */
export function outcomeSaid(host: string, { outcome, why }: FarOutcome): string {
  const name = oneLine(host, 64);
  const said = t(outcome === 'unknown' ? 'inbox.far.unknown_outcome' : `inbox.far.${outcome}`, {
    name,
  });
  return why === '' ? said : `${said} ${oneLine(why, 500)}`;
}

/** The command that shows all of it in a terminal, and how it is answered there. */
export const farCommand = ({ host, ask }: FarEntry): string =>
  `holdfast ${ask.kind === 'call' ? 'approvals list' : 'turns review'} --host ${host}`;

/** Below it: the asking agent, its tools, and the purpose. */
export function farSecond(ask: FarAsk): string {
  const tools =
    ask.kind === 'call'
      ? [plainTool(toolOfAgent(ask.agent, ask.tool))]
      : ask.unknown.map(({ tool }) => plainName(toolOfAgent(ask.agent, tool)));
  const title = firstSentence(ask.promptStart);
  return [oneLine(ask.agent, 64), ...new Set(tools), ...(title === '' ? [] : [title])].join(' · ');
}

/** True if a search in the inbox matches: all words, anywhere in its texts or in the name of its host. */
export function matchesFar({ host, ask }: FarEntry, search: string): boolean {
  const text = [host, farTitle(ask), farSecond(ask), ask.reason].join(' ').toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
