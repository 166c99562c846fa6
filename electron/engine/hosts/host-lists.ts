/** Lists from a host: its sessions, their transcripts and steps, and search results. HO-02 */
import type { VerbInput } from '../../../shared/contract';
import { readFarHits, readFarSessions } from '../../../shared/far-lists';
import { readFarStep } from '../../../shared/far-step';
import { readFarTranscript } from '../../../shared/far-transcript';
import type { HostHits, HostSessions } from '../../../shared/types/far-lists';
import type { HostStep } from '../../../shared/types/far-step';
import type { HostTranscript } from '../../../shared/types/far-transcript';
import type { HostLinks } from './host-links';
import type { FarTold } from './plan-ask';

type Wanted = Omit<VerbInput<'hosts.search'>, 'host'>;
type Part = Omit<VerbInput<'hosts.transcript'>, 'host'>;
type Step = Omit<VerbInput<'hosts.step'>, 'host'>;
type Untold = Extract<FarTold, { kind: 'untold' }>;

/**
 * Each method explains in a sentence why a list is unknown, and never throws because of the host.
 */
export interface HostLists {
  /** @throws HOST_UNKNOWN: no host has this name */
  sessions(host: string): Promise<HostSessions>;
  /** Part of a session's transcript on the host. @throws HOST_UNKNOWN: no host has this name */
  transcript(host: string, part: Part): Promise<HostTranscript>;
  /** @throws HOST_UNKNOWN: no host has this name */
  step(host: string, asked: Step): Promise<HostStep>;
  /** @throws HOST_UNKNOWN: no host has this name */
  search(host: string, wanted: Wanted): Promise<HostHits>;
}

/** This version cannot parse the list, so its content is unknown. */
const strange = (host: string) => ({
  kind: 'untold' as const,
  why: `${host} runs a version of Holdfast that is not compatible with this one.`,
});

const untold = ({ why }: Untold) => ({ kind: 'untold' as const, why });

export const createHostLists = ({ ask }: Pick<HostLinks, 'ask'>): HostLists => ({
  async sessions(host) {
    const told = await ask(host, { kind: 'sessions' });
    return told.kind === 'untold' ? untold(told) : (readFarSessions(told.value) ?? strange(host));
  },
  async transcript(host, part) {
    const told = await ask(host, { kind: 'transcript', ...part });
    // The question has no input that could be wrong, so a version that rejects it does not know it.
    if (told.kind === 'untold')
      return told.code === 'INPUT_INVALID' ? { kind: 'older' } : untold(told);
    return readFarTranscript(told.value, part.sessionId) ?? strange(host);
  },
  async step(host, asked) {
    const told = await ask(host, { kind: 'step', ...asked });
    return told.kind === 'untold'
      ? untold(told)
      : (readFarStep(told.value, asked) ?? strange(host));
  },
  async search(host, wanted) {
    const told = await ask(host, { kind: 'search', ...wanted });
    return told.kind === 'untold' ? untold(told) : (readFarHits(told.value) ?? strange(host));
  },
});
