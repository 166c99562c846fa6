/** The sessions of a host, what one of them says and did, and what a search there finds, by the commands that it has. HO-02 */
import type { VerbInput } from '../../../shared/contract';
import { readFarHits, readFarSessions } from '../../../shared/far-lists';
import { readFarStep } from '../../../shared/far-step';
import { readFarTranscript } from '../../../shared/far-transcript';
import {
  MOST_FAR_HITS,
  MOST_FAR_SESSIONS,
  type HostHits,
  type HostSessions,
} from '../../../shared/types/far-lists';
import type { HostStep } from '../../../shared/types/far-step';
import type { HostTranscript } from '../../../shared/types/far-transcript';
import type { HostLinks } from './host-links';
import type { FarTold } from './plan-ask';

type Wanted = Omit<VerbInput<'hosts.search'>, 'host'>;
type Part = Omit<VerbInput<'hosts.transcript'>, 'host'>;
type Step = Omit<VerbInput<'hosts.step'>, 'host'>;
type Untold = Extract<FarTold, { kind: 'untold' }>;

/** All say in a sentence why a list is not known, and never throw for what a host does. */
export interface HostLists {
  /** @throws INPUT_INVALID: no host has this name */
  sessions(host: string): Promise<HostSessions>;
  /** Part of a conversation there. @throws INPUT_INVALID: no host has this name */
  transcript(host: string, part: Part): Promise<HostTranscript>;
  /** @throws INPUT_INVALID: no host has this name */
  step(host: string, asked: Step): Promise<HostStep>;
  /** @throws INPUT_INVALID: no host has this name */
  search(host: string, wanted: Wanted): Promise<HostHits>;
}

/** A list that this version does not know as one: it is not known what is there. */
const strange = (host: string) => ({
  kind: 'untold' as const,
  why: `${host} has a Holdfast of another version, which this one does not understand.`,
});

const untold = ({ why }: Untold) => ({ kind: 'untold' as const, why });

/** The command there. Each value is one word with its option: none of them can be an option of its own. Pure. */
export function searchArguments({ words, ...narrow }: Wanted): readonly string[] {
  const { agent, session, state, tool, file, minCostUsd, sinceMs, untilMs } = narrow;
  const when = (atMs: number | undefined) =>
    atMs === undefined ? undefined : new Date(atMs).toISOString();
  const options = {
    agent,
    session,
    state,
    tool,
    file,
    'min-cost': minCostUsd,
    since: when(sinceMs),
    until: when(untilMs),
  };
  return [
    'search',
    '--json',
    `--limit=${String(MOST_FAR_HITS)}`,
    ...Object.entries(options).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}=${String(value)}`],
    ),
    '--',
    words,
  ];
}

export const createHostLists = ({ ask }: Pick<HostLinks, 'ask'>): HostLists => ({
  async sessions(host) {
    const args = ['sessions', 'list', '--limit', String(MOST_FAR_SESSIONS), '--json'];
    const told = await ask(host, 'sessions', args);
    return told.kind === 'untold' ? untold(told) : (readFarSessions(told.value) ?? strange(host));
  },
  async transcript(host, { sessionId, beforeSeq }) {
    const before = beforeSeq === undefined ? [] : [`--before=${String(beforeSeq)}`];
    const args = ['hosts', 'transcript', String(sessionId), ...before, '--json'];
    // What is shown is asked for again while somebody asks for what was before it: neither ends the other.
    const kind = beforeSeq === undefined ? 'transcript' : 'transcript before';
    const told = await ask(host, kind, args);
    // The command has no input that could be wrong: a version that refuses it does not have it.
    if (told.kind === 'untold')
      return told.code === 'INPUT_INVALID' ? { kind: 'older' } : untold(told);
    return readFarTranscript(told.value, sessionId) ?? strange(host);
  },
  async step(host, { turnId, step }) {
    const args = ['turns', 'step', String(turnId), String(step), '--json'];
    // Several are open beside each other: only the same one again takes the place of a question.
    const told = await ask(host, `step ${String(turnId)} ${String(step)}`, args);
    return told.kind === 'untold'
      ? untold(told)
      : (readFarStep(told.value, { turnId, step }) ?? strange(host));
  },
  async search(host, wanted) {
    const told = await ask(host, 'search', searchArguments(wanted));
    return told.kind === 'untold' ? untold(told) : (readFarHits(told.value) ?? strange(host));
  },
});
